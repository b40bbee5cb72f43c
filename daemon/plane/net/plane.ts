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
import { ignore, NetConnection } from './connection.ts';
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

/** A server continues after every error except a failure to listen. */
function serve(counters: Counters, { accept, unattributed, fault }: ListenHandlers<NetConnection>): Server {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    counters.accepted += 1;
    socket.on('error', ignore);
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

/**
 * An attempt to connect. Calls back once, unless it is canceled. Its listeners stay on the socket: see NetConnection.
 */
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
      .on('connect', () => this.#connected())
      .on('error', (error) => this.#failed(error))
      .pause();
    this.#socket.connect('path' in address ? address : { host: address.ip, port: address.port });
  }

  #give(outcome: ConnectOutcome<NetConnection>): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(outcome);
  }

  #connected(): void {
    this.#give({ ok: true, connection: counted(this.#socket, this.#counters) });
  }

  #failed({ code = '' }: NodeJS.ErrnoException): void {
    if (!this.#done) return;
    const why = failures[code] ?? 'unreachable';
    if (why === 'exhausted') this.#counters.exhaustedAt = performance.now();
    this.#give({ ok: false, why });
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
    listen: (endpoint, handlers) => listen(serve(counters, handlers), endpoint, isWorker, handlers.descriptor),
    listenNow: (endpoint, handlers) => listenNow(serve(counters, handlers), endpoint),
    connect: (address, done) => {
      const attempt = new Attempt(counters, done);
      attempt.start(address);
      return () => attempt.cancel();
    },
    relay: netRelay,
    counters: () => ({ ...counters }),
  };
}
