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
import { ignoreError, NetConnection } from './connection.ts';
import { listen, listenNow } from './listen.ts';
import { startNetRelay } from './relay.ts';

interface Counters {
  accepted: number;
  open: number;
  acceptFaults: number;
  exhaustedAt: number;
}

function createConnection(socket: Socket, counters: Counters): NetConnection {
  const connection = new NetConnection(socket);
  counters.open += 1;
  connection.onGone(() => {
    counters.open -= 1;
  });
  return connection;
}

function createAcceptingServer(
  counters: Counters,
  { accept, unattributed, fault }: ListenHandlers<NetConnection>,
): Server {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    counters.accepted += 1;
    socket.on('error', ignoreError);
    if (socket.remoteAddress !== undefined) return accept(createConnection(socket, counters));
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

/** Calls back once, unless it is canceled. Its listeners stay on the socket: see NetConnection. */
class Attempt {
  readonly #counters: Counters;
  /** Undefined when the attempt is over. */
  #done: ((outcome: ConnectOutcome<NetConnection>) => void) | undefined;
  readonly #socket = new Socket({ allowHalfOpen: true });

  constructor(counters: Counters, done: (outcome: ConnectOutcome<NetConnection>) => void) {
    this.#counters = counters;
    this.#done = done;
  }

  start(address: SocketAddress): void {
    this.#socket
      .on('connect', () => this.#onConnect())
      .on('error', (error) => this.#onError(error))
      .pause();
    this.#socket.connect('path' in address ? address : { host: address.ip, port: address.port });
  }

  #finish(outcome: ConnectOutcome<NetConnection>): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(outcome);
  }

  #onConnect(): void {
    this.#finish({ ok: true, connection: createConnection(this.#socket, this.#counters) });
  }

  #onError({ code = '' }: NodeJS.ErrnoException): void {
    if (!this.#done) return;
    const why = failures[code] ?? 'unreachable';
    if (why === 'exhausted') this.#counters.exhaustedAt = performance.now();
    this.#finish({ ok: false, why });
  }

  cancel(): void {
    if (!this.#socket.connecting) return;
    this.#done = undefined;
    this.#socket.destroy();
  }
}

export function createNetPlane({ isWorker }: PlaneOptions = { isWorker: false }): DataPlane<NetConnection> {
  tuneCollector();
  const counters: Counters = { accepted: 0, open: 0, acceptFaults: 0, exhaustedAt: Number.NEGATIVE_INFINITY };
  return {
    listen: (endpoint, handlers) =>
      listen(createAcceptingServer(counters, handlers), endpoint, isWorker, handlers.descriptor),
    listenNow: (endpoint, handlers) => listenNow(createAcceptingServer(counters, handlers), endpoint),
    connect: (address, done) => {
      const attempt = new Attempt(counters, done);
      attempt.start(address);
      return () => attempt.cancel();
    },
    relay: startNetRelay,
    counters: () => ({ ...counters }),
  };
}
