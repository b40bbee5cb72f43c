/** An HTTP server with bounds on sizes and times. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { ApiBounds } from './bounds.ts';
import { type IsReserved, limitConnections } from './connection-limit.ts';
import { createRefusals } from './refusals.ts';

/** Node checks timeouts this many times within the shortest timeout. */
const checksPerTime = 5;

export function createApiServer(handle: (isReserved: IsReserved) => RequestListener, bounds: ApiBounds): Server {
  const server = createServer({
    maxHeaderSize: daemonBounds.apiHeadBytes,
    headersTimeout: bounds.apiHeadMs,
    requestTimeout: bounds.apiRequestMs,
    connectionsCheckingInterval: Math.ceil(bounds.apiHeadMs / checksPerTime),
    keepAliveTimeout: bounds.apiIdleMs,
    keepAlive: true,
    insecureHTTPParser: false,
    requireHostHeader: false, // the dispatcher refuses a request without a Host header
  });
  // A client that half-closes after the request gets the response. Node has no option for this.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', handle(limitConnections(server, bounds)));
  server.timeout = bounds.apiStallMs;
  server.maxHeadersCount = daemonBounds.apiHeaders + 1; // one more than allowed, to detect too many
  const { refuseRequest, refuseTunnel } = createRefusals(server, bounds.apiRequestMs);
  server.on('clientError', refuseRequest);
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => refuseTunnel(socket));
  return server;
}
