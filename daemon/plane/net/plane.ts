/** The data plane over node:net. */
import { createServer, type Server, Socket } from 'node:net';
import type { Endpoint } from '../../../contract/values/endpoint.ts';
import type {
  ConnectFailure,
  ConnectOutcome,
  DataPlane,
  Listener,
  ListenHandlers,
  PlaneOptions,
  SocketAddress,
} from '../plane.ts';
import { NetConnection } from './connection.ts';
import { tuneCollector } from './memory.ts';
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
function serve(counters: Counters, { accept, unattributed, fault }: ListenHandlers<NetConnection>): Server {
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
  handlers: ListenHandlers<NetConnection>,
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
      if (port === 0 || port === taken) return resolve({ endpoint: { host, port: taken }, descriptor, close });
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

const ignore = (): void => {};

/** One attempt to connect. Calls back once, unless it is cancelled. */
class Attempt {
  readonly #counters: Counters;
  readonly #done: (outcome: ConnectOutcome<NetConnection>) => void;
  readonly #socket = new Socket({ allowHalfOpen: true });

  constructor(counters: Counters, done: (outcome: ConnectOutcome<NetConnection>) => void) {
    this.#counters = counters;
    this.#done = done;
  }

  start(address: SocketAddress): void {
    this.#socket.on('connect', this.#onConnect).on('error', this.#onError);
    this.#socket.setNoDelay(true).pause();
    this.#socket.connect('path' in address ? address : { host: address.ip, port: address.port });
  }

  #leave(): void {
    this.#socket.off('connect', this.#onConnect).off('error', this.#onError);
  }

  #onConnect = () => {
    this.#leave();
    this.#done({ ok: true, connection: counted(this.#socket, this.#counters) });
  };

  #onError = ({ code = '' }: NodeJS.ErrnoException) => {
    this.#leave();
    const why = failures[code] ?? 'unreachable';
    if (why === 'exhausted') this.#counters.exhaustedAt = performance.now();
    this.#done({ ok: false, why });
  };

  cancel = (): void => {
    if (!this.#socket.connecting) return;
    this.#leave();
    this.#socket.on('error', ignore).destroy();
  };
}

export function createNetPlane({ reusePort }: PlaneOptions = { reusePort: false }): DataPlane<NetConnection> {
  tuneCollector();
  const counters: Counters = { accepted: 0, open: 0, acceptFaults: 0, exhaustedAt: Number.NEGATIVE_INFINITY };
  return {
    listen: (endpoint, handlers) => listen(counters, endpoint, handlers, reusePort),
    connect: (address, done) => {
      const attempt = new Attempt(counters, done);
      attempt.start(address);
      return attempt.cancel;
    },
    relay: netRelay,
    counters: () => ({ ...counters }),
  };
}
