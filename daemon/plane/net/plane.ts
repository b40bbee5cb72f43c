/** The data plane over node:net. */
import { lookup } from 'node:dns';
import { createServer, type Server, Socket } from 'node:net';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Endpoint } from '../../../contract/values/endpoint.ts';
import type { ConnectFailure, ConnectOutcome, DataPlane, Listener, ListenHandlers } from '../plane.ts';
import { NetConnection } from './connection.ts';
import { cachedLookup } from './lookup.ts';
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

/** One attempt to connect to an upstream. Calls back once. */
class Attempt {
  readonly #counters: Counters;
  readonly #client: NetConnection;
  readonly #done: (outcome: ConnectOutcome) => void;
  readonly #socket = new Socket({ allowHalfOpen: true });
  readonly #until: number;
  #timer: NodeJS.Timeout;
  #unwatch: (() => void) | undefined;
  #isOver = false;

  constructor(counters: Counters, client: NetConnection, timeoutMs: number, done: (outcome: ConnectOutcome) => void) {
    this.#counters = counters;
    this.#client = client;
    this.#done = done;
    this.#until = performance.now() + timeoutMs;
    this.#timer = setTimeout(Attempt.#onTimer, Math.min(daemonBounds.connectWatchMs, timeoutMs), this);
  }

  start({ host, port }: Endpoint): void {
    this.#client.onGone(() => this.#abandon('gone'));
    this.#socket.on('connect', this.#onConnect).on('error', this.#onError);
    this.#socket.setNoDelay(true).pause();
    this.#socket.connect({ host, port, lookup: lookupName });
  }

  #onConnect = () => this.#give({ ok: true, connection: counted(this.#socket, this.#counters) });

  #onError = (error: NodeJS.ErrnoException) => {
    const why = failureOf(error);
    if (why === 'exhausted') this.#counters.exhaustedAt = performance.now();
    this.#give({ ok: false, why });
  };

  /** Most attempts are over before the timer: reading from the client for each one is not free. */
  static #onTimer(attempt: Attempt): void {
    const left = attempt.#until - performance.now();
    if (left <= 0) attempt.#abandon('timeout');
    else attempt.#watch(Math.ceil(left));
  }

  #watch(left: number): void {
    this.#timer = setTimeout(Attempt.#onTimer, left, this);
    this.#unwatch = this.#client.watch(daemonBounds.firstBytes, left, () => this.#abandon('gone'));
  }

  #abandon(why: 'timeout' | 'gone'): void {
    if (this.#isOver) return;
    this.#socket.on('error', () => {});
    this.#socket.destroy();
    this.#give({ ok: false, why });
  }

  #give(outcome: ConnectOutcome): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#unwatch?.();
    this.#socket.off('connect', this.#onConnect).off('error', this.#onError);
    this.#done(outcome);
  }
}

/** `reusePort`: other processes of this user can listen on the same port, and the system distributes connections. */
export function createNetPlane({ reusePort = false } = {}): DataPlane {
  tuneCollector();
  const counters: Counters = { accepted: 0, open: 0, acceptFaults: 0, exhaustedAt: Number.NEGATIVE_INFINITY };
  return {
    listen: (endpoint, handlers) => listen(counters, endpoint, handlers, reusePort),
    connect: (endpoint, timeoutMs, client, done) =>
      new Attempt(counters, client as NetConnection, timeoutMs, done).start(endpoint),
    relay: (client, upstream, hooks) => netRelay(client as NetConnection, upstream as NetConnection, hooks),
    counters: () => ({ ...counters }),
  };
}
