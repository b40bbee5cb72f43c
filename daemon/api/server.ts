/** An HTTP server with bounds on sizes and times. */
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiErrorCode } from '../../contract/api/errors.ts';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { ApiBounds } from './bounds.ts';
import { type IsReserved, limitConnections } from './connection-limit.ts';
import { ApiFailure } from './failure.ts';

/** Node checks timeouts this many times within the shortest timeout. */
const checksPerTime = 5;

/** The API errors for errors of Node's parser and timers. All others become `bad_request`. */
const refusals: Readonly<Record<string, ApiErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'too_large',
};

function refuseRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, body } = new ApiFailure(refusals[error.code ?? ''] ?? 'bad_request');
  const text = `${JSON.stringify(body)}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Refuses a CONNECT request. Node releases its socket, so this server handles the socket's errors and ends it. */
function refuseTunnel(socket: Duplex, withinMs: number): void {
  const timer = setTimeout(() => socket.destroy(), withinMs);
  socket.on('error', () => {}).once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy()).resume();
  refuseRequest({ name: '', message: '', code: 'CONNECT' }, socket);
}

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
  server.on('clientError', refuseRequest);
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => refuseTunnel(socket, bounds.apiRequestMs));
  return server;
}
