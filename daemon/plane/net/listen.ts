/** Listening over node:net. */
import net, { type BoundSocket, type Server } from 'node:net';
import { getSystemErrorMessage } from 'node:util';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Endpoint } from '../../../contract/values/endpoint.ts';
import type { Listener } from '../plane.ts';

/** @throws Error with a `code` when the address cannot be bound */
function bind(host: string, port: number): BoundSocket {
  try {
    return new net.BoundSocket({ host, port });
  } catch (error) {
    const { code = '', errno = 0 } = error as NodeJS.ErrnoException;
    const what = `listen ${code}: ${getSystemErrorMessage(errno)} ${host}:${port}`;
    throw Object.assign(new Error(what), { code });
  }
}

/** `inherited`: a descriptor that already listens. */
export async function listen(
  server: Server,
  { host, port }: Endpoint,
  reusePort: boolean,
  inherited?: number,
): Promise<Listener> {
  const where = inherited === undefined ? { port, reusePort, ...(host !== '' && { host }) } : { fd: inherited };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ backlog: daemonBounds.acceptQueue, ...where }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const actualPort = typeof address === 'object' && address ? address.port : port;
  const close = async () => void server.close();
  if (port === 0 || port === actualPort) return { endpoint: { host, port: actualPort }, close };
  await close();
  throw new Error(`the socket of the service manager listens on port ${actualPort}`);
}

/** Makes a server listen before it returns. @throws Error with a `code` when the endpoint cannot be bound */
export function listenNow(server: Server, { host, port }: Endpoint): Listener {
  if (net.BoundSocket === undefined)
    throw Object.assign(new Error('Node 26.4 or later is required'), { code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM' });
  const socket = bind(host, port);
  const endpoint = { host, port: socket.address().port };
  server.listen(socket, daemonBounds.acceptQueue);
  // Two processes can bind a port while none of them listens on it. The second one then fails to listen.
  if (!server.listening) throw Object.assign(new Error(`address in use: ${host}:${port}`), { code: 'EADDRINUSE' });
  return { endpoint, close: async () => void server.close() };
}
