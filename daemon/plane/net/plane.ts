/** The data plane over node:net. */
import { lookup } from 'node:dns';
import { createServer, type Server, Socket } from 'node:net';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Endpoint } from '../../../contract/values/endpoint.ts';
import type { ConnectFailure, ConnectOutcome, DataPlane, Listener, ListenHandlers } from '../plane.ts';
import { NetConnection } from './connection.ts';
import { cachedLookup } from './lookup.ts';
import { netRelay } from './relay.ts';

/** The accept queue: connections of a burst that arrive during one turn of the event loop. */
const backlog = 4096;

interface Counters {
  accepted: number;
  open: number;
  acceptFaults: number;
  exhaustedAt: number;
}

function counted(socket: Socket, counters: Counters): NetConnection {
  const connection = new NetConnection(socket);
  counters.open += 1;
  connection.onGone(() => {
    counters.open -= 1;
  });
  return connection;
}

/** The server continues after every error except that of listening itself. */
function serve(counters: Counters, { accept, unattributed, fault }: ListenHandlers): Server {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    counters.accepted += 1;
    if (socket.remoteAddress !== undefined) return accept(counted(socket, counters));
    socket.destroy();
    unattributed();
  });
  server.on('error', (error) => {
    if (!server.listening) return;
    counters.acceptFaults += 1;
    counters.exhaustedAt = performance.now();
    fault(error.message);
  });
  return server;
}

function listen(
  counters: Counters,
  { host, port }: Endpoint,
  handlers: ListenHandlers,
  reusePort: boolean,
): Promise<Listener> {
  const server = serve(counters, handlers);
  const { descriptor } = handlers;
  const where = descriptor === undefined ? { port, reusePort, ...(host !== '' && { host }) } : { fd: descriptor };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ backlog, ...where }, () => {
      server.off('error', reject);
      const address = server.address();
      const taken = typeof address === 'object' && address ? address.port : port;
      const close = () =>
        new Promise<void>((closed) => {
          server.close(() => {});
          closed();
        });
      if (port === 0 || port === taken) return resolve({ endpoint: { host, port: taken }, close });
      server.close(() => {});
      reject(new Error(`the socket of the service manager listens on port ${taken}`));
    });
  });
}

const failures: Readonly<Record<string, ConnectFailure>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'refused',
  ETIMEDOUT: 'timeout',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
  EADDRNOTAVAIL: 'exhausted',
  ENOBUFS: 'exhausted',
};

/** Node tries all addresses of a name. The first error of the aggregate counts. */
function failureOf(error: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }): ConnectFailure {
  return failures[error.code ?? error.errors?.[0]?.code ?? ''] ?? 'unreachable';
}

const lookupName = cachedLookup(lookup);

function connect(
  counters: Counters,
  { host, port }: Endpoint,
  timeoutMs: number,
  client: NetConnection,
): Promise<ConnectOutcome> {
  const socket = new Socket({ allowHalfOpen: true });
  return new Promise((resolve) => {
    let isOver = false;
    let unwatch = () => {};
    const give = (outcome: ConnectOutcome) => {
      isOver = true;
      clearTimeout(watching);
      clearTimeout(timer);
      unwatch();
      socket.off('connect', onConnect).off('error', onError);
      resolve(outcome);
    };
    const abandon = (why: 'timeout' | 'gone') => {
      if (isOver) return;
      socket.on('error', () => {});
      socket.destroy();
      give({ ok: false, why });
    };
    const onConnect = () => give({ ok: true, connection: counted(socket, counters) });
    const onError = (error: NodeJS.ErrnoException) => {
      const why = failureOf(error);
      if (why === 'exhausted') counters.exhaustedAt = performance.now();
      give({ ok: false, why });
    };
    const timer = setTimeout(abandon, timeoutMs, 'timeout');
    const watching = setTimeout(() => {
      unwatch = client.watch(daemonBounds.firstBytes, timeoutMs, () => abandon('gone'));
    }, daemonBounds.connectWatchMs);
    client.onGone(() => abandon('gone'));
    socket.on('connect', onConnect).on('error', onError);
    socket.setNoDelay(true).pause();
    socket.connect({ host, port, lookup: lookupName });
  });
}

/** `reusePort`: other processes of this user can listen on the same port, and the system distributes connections. */
export function createNetPlane({ reusePort = false } = {}): DataPlane {
  const counters: Counters = { accepted: 0, open: 0, acceptFaults: 0, exhaustedAt: Number.NEGATIVE_INFINITY };
  return {
    listen: (endpoint, handlers) => listen(counters, endpoint, handlers, reusePort),
    connect: (endpoint, timeoutMs, client) => connect(counters, endpoint, timeoutMs, client as NetConnection),
    relay: (client, upstream, hooks) => netRelay(client as NetConnection, upstream as NetConnection, hooks),
    counters: () => ({ ...counters }),
  };
}
