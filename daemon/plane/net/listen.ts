/** Listening over node:net. */
import { lookup } from 'node:dns/promises';
import net, { type BoundSocket, isIP, type Server } from 'node:net';
import { getSystemErrorMessage } from 'node:util';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Endpoint } from '../../../contract/values/endpoint.ts';
import type { Listener } from '../plane.ts';

const noIpv6Codes: ReadonlySet<string> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL']);

/** @throws Error with a `code` when the address cannot be bound */
function bind(host: string, port: number, reusePort: boolean): BoundSocket {
  try {
    return new net.BoundSocket({ host, port, reusePort });
  } catch (error) {
    const { code = '', errno = 0 } = error as NodeJS.ErrnoException;
    const what = `listen ${code}: ${getSystemErrorMessage(errno)} ${host}:${port}`;
    throw Object.assign(new Error(what), { code });
  }
}

/** Binds all addresses of the host: IPv6 including IPv4, or IPv4 on a host without IPv6. */
function bindAll(port: number, reusePort: boolean): BoundSocket {
  try {
    return bind('::', port, reusePort);
  } catch (error) {
    if (!noIpv6Codes.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return bind('0.0.0.0', port, reusePort);
  }
}

async function bindEndpoint({ host, port }: Endpoint, reusePort: boolean): Promise<BoundSocket> {
  if (host === '') return bindAll(port, reusePort);
  return bind(isIP(host) > 0 ? host : (await lookup(host)).address, port, reusePort);
}

interface OpenedSocket {
  readonly descriptor: number | undefined;
  readonly start: (listening: () => void) => void;
}

/**
 * Opens a listening socket. `inherited`: a descriptor that already listens. Before Node 26.4, the descriptor of a
 * socket that Node opens is not available.
 */
async function openSocket(
  server: Server,
  endpoint: Endpoint,
  reusePort: boolean,
  inherited?: number,
): Promise<OpenedSocket> {
  if (inherited !== undefined)
    return {
      descriptor: inherited,
      start: (listening) => server.listen({ backlog: daemonBounds.acceptQueue, fd: inherited }, listening),
    };
  if (net.BoundSocket === undefined) {
    const { host, port } = endpoint;
    const where = { backlog: daemonBounds.acceptQueue, port, reusePort, ...(host !== '' && { host }) };
    return { descriptor: undefined, start: (listening) => server.listen(where, listening) };
  }
  const socket = await bindEndpoint(endpoint, reusePort);
  return { descriptor: socket.fd(), start: (listening) => server.listen(socket, daemonBounds.acceptQueue, listening) };
}

export async function listen(
  server: Server,
  { host, port }: Endpoint,
  reusePort: boolean,
  inherited?: number,
): Promise<Listener> {
  const { descriptor, start } = await openSocket(server, { host, port }, reusePort, inherited);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    start(() => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const actualPort = typeof address === 'object' && address ? address.port : port;
  const close = async () => void server.close();
  if (port === 0 || port === actualPort) return { endpoint: { host, port: actualPort }, descriptor, close };
  await close();
  throw new Error(`the socket of the service manager listens on port ${actualPort}`);
}

/** Makes a server listen before it returns. @throws Error with a `code` when the endpoint cannot be bound */
export function listenNow(server: Server, { host, port }: Endpoint): Listener {
  if (net.BoundSocket === undefined)
    throw Object.assign(new Error('Node 26.4 or later is required'), { code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM' });
  const socket = bind(host, port, false);
  const endpoint = { host, port: socket.address().port };
  const descriptor = socket.fd();
  server.listen(socket, daemonBounds.acceptQueue);
  // Two processes can bind a port while none of them listens on it. The second one then fails to listen.
  if (!server.listening) throw Object.assign(new Error(`address in use: ${host}:${port}`), { code: 'EADDRINUSE' });
  return { endpoint, descriptor, close: async () => void server.close() };
}
