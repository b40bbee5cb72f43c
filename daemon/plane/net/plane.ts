import { createServer, type Server, Socket } from 'node:net';
import type {
  ConnectFailure,
  ConnectOutcome,
  DataPlane,
  ListenHandlers,
  PlaneOptions,
  SocketAddress,
} from '../plane.ts';
import { keepHeapSmall, tuneCollector } from '../v8-flags.ts';
import { doNothing, NetConnection } from './connection.ts';
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
    socket.on('error', doNothing);
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

type Done = (outcome: ConnectOutcome<NetConnection>) => void;

/** Connects. Calls back once, unless the attempt is canceled. Listeners stay on the socket: see NetConnection. */
function connect(counters: Counters, address: SocketAddress, done: Done): () => void {
  const socket = new Socket({ allowHalfOpen: true });
  let waiting: Done | undefined = done;
  const finish: Done = (outcome) => {
    const callback = waiting;
    waiting = undefined;
    callback?.(outcome);
  };
  socket
    .on('connect', () => finish({ ok: true, connection: createConnection(socket, counters) }))
    .on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (!waiting) return;
      const why = failures[code] ?? 'unreachable';
      if (why === 'exhausted') counters.exhaustedAt = performance.now();
      finish({ ok: false, why });
    })
    .pause()
    .connect('path' in address ? address : { host: address.ip, port: address.port });
  return () => {
    if (!socket.connecting) return;
    waiting = undefined;
    socket.destroy();
  };
}

export function createNetPlane({ isWorker }: PlaneOptions = { isWorker: false }): DataPlane<NetConnection> {
  keepHeapSmall();
  const counters: Counters = { accepted: 0, open: 0, acceptFaults: 0, exhaustedAt: Number.NEGATIVE_INFINITY };
  return {
    listen: (endpoint, handlers) => {
      tuneCollector();
      return listen(createAcceptingServer(counters, handlers), endpoint, isWorker, handlers.descriptor);
    },
    listenNow: (endpoint, handlers) => {
      tuneCollector();
      return listenNow(createAcceptingServer(counters, handlers), endpoint);
    },
    connect: (address, done) => connect(counters, address, done),
    relay: startNetRelay,
    counters: () => ({ ...counters }),
  };
}
