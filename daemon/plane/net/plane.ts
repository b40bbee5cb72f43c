/** The data plane over node:net. */
import { createServer, type Server, Socket } from 'node:net';
import type {
  ConnectFailure,
  ConnectOutcome,
  DataPlane,
  ListenHandlers,
  PlaneOptions,
  SocketAddress,
} from '../plane.ts';
import { tuneCollector } from '../v8-flags.ts';
import { NetConnection } from './connection.ts';
import { listen, listenNow } from './listen.ts';
import { netRelay } from './relay.ts';

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

/** One attempt to connect. Calls back once, unless it is canceled. */
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

export function createNetPlane({ isWorker }: PlaneOptions = { isWorker: false }): DataPlane<NetConnection> {
  tuneCollector();
  const counters: Counters = { accepted: 0, open: 0, acceptFaults: 0, exhaustedAt: Number.NEGATIVE_INFINITY };
  return {
    listen: (endpoint, handlers) => listen(serve(counters, handlers), endpoint, isWorker, handlers.descriptor),
    listenNow: (endpoint, handlers) => listenNow(serve(counters, handlers), endpoint),
    connect: (address, done) => {
      const attempt = new Attempt(counters, done);
      attempt.start(address);
      return attempt.cancel;
    },
    relay: netRelay,
    counters: () => ({ ...counters }),
  };
}
