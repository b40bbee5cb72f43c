/** Test rig: both ends of connections through a plane. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { test as register, type TestContext } from 'node:test';
import { scratchFolder } from '../../../../platform/scratch-folder.ts';
import { until } from '../../../../platform/testing/until.ts';
import type {
  Connection,
  ConnectOutcome,
  DataPlane,
  PlaneOptions,
  Relay,
  RelayEnd,
  RelayHooks,
  SocketAddress,
} from '../../plane.ts';

const patienceMs = 300_000;

/** Registers a test with a time limit, so that it fails when the plane does nothing. */
export function test(name: string, run: (t: TestContext) => Promise<void>): void {
  void register(name, { timeout: patienceMs }, run);
}

export interface Subject<C extends Connection> {
  readonly create: (options?: PlaneOptions) => DataPlane<C>;
  /** The data plane: the URL of its module and the name of its export. */
  readonly module: string;
  readonly exported: string;
}

const hosts = { ipv4: '127.0.0.1', ipv6: '::1', unix: '127.0.0.1' } as const;

export interface PairOptions<C extends Connection> {
  /** The sockets of both sides. Default: ipv4. `unix`: only the upstream uses a Unix socket. */
  readonly over?: keyof typeof hosts;
  readonly inspect?: RelayHooks['inspect'];
  readonly stalled?: (bytes: number) => void;
  readonly passedBytes?: number;
  readonly beforeConnect?: (client: C, socket: Socket) => Promise<void>;
  readonly beforeRelay?: (upstream: C) => void;
}

export interface Pair {
  /** The ends outside the plane. They are paused. */
  readonly client: Socket;
  readonly upstream: Socket;
  readonly relay: Relay;
  readonly ended: Promise<RelayEnd>;
}

/** An upstream that accepts connections without reading them. */
export async function upstreamAt(
  t: TestContext,
  over: keyof typeof hosts,
  accept: (socket: Socket) => void,
): Promise<SocketAddress> {
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    accept(socket.on('error', () => {}));
  });
  t.after(() => void server.close());
  if (over === 'unix') {
    const path = join(scratchFolder('plane-'), 'upstream.sock');
    await once(server.listen(path), 'listening');
    return { path };
  }
  await once(server.listen(0, hosts[over]), 'listening');
  const { address: ip, port } = server.address() as { address: string; port: number };
  return { ip, port };
}

export const connectOutcome = <C extends Connection>(plane: DataPlane<C>, address: SocketAddress) =>
  new Promise<ConnectOutcome<C>>((resolve) => plane.connect(address, resolve));

export async function connectTo<C extends Connection>(plane: DataPlane<C>, address: SocketAddress): Promise<C> {
  const outcome = await connectOutcome(plane, address);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.connection;
}

/** Listens until the test ends. Returns the port. */
export async function listenUntilEnd<C extends Connection>(
  t: TestContext,
  plane: DataPlane<C>,
  accept: (connection: C) => void,
  host: string = hosts.ipv4,
): Promise<number> {
  const handlers = { accept, unattributed: assert.fail, fault: assert.fail };
  const listener = await plane.listen({ host, port: 0 }, handlers);
  t.after(() => listener.close());
  return listener.endpoint.port;
}

export function dial(port: number, host: string = hosts.ipv4): Socket {
  return connect({ port, host, allowHalfOpen: true })
    .pause()
    .on('error', () => {});
}

interface AcceptedClient<C extends Connection> {
  readonly connection: C;
  /** The end outside the plane. */
  readonly socket: Socket;
}

async function accept<C extends Connection>(
  t: TestContext,
  plane: DataPlane<C>,
  host: string,
): Promise<AcceptedClient<C>> {
  const { promise, resolve } = Promise.withResolvers<C>();
  const port = await listenUntilEnd(t, plane, resolve, host);
  const socket = dial(port, host);
  const [connection] = await Promise.all([promise, once(socket, 'connect')]);
  return { connection, socket };
}

export async function acceptClient<C extends Connection>(
  t: TestContext,
  plane: DataPlane<C>,
  host: string = hosts.ipv4,
): Promise<AcceptedClient<C>> {
  const arrived = await accept(t, plane, host);
  t.after(async () => {
    const gone = new Promise<void>((resolve) => arrived.connection.onGone(resolve));
    arrived.connection.end('reset'); // without a reader, the connection would not detect its end
    arrived.socket.destroy();
    await gone;
  });
  return arrived;
}

export async function relayPair<C extends Connection>(
  t: TestContext,
  plane: DataPlane<C>,
  { over = 'ipv4', inspect, stalled = () => {}, passedBytes, beforeConnect, beforeRelay }: PairOptions<C> = {},
): Promise<Pair> {
  const arrival = Promise.withResolvers<Socket>();
  const address = await upstreamAt(t, over, arrival.resolve);
  const near = await accept(t, plane, hosts[over]);
  await beforeConnect?.(near.connection, near.socket);
  const far = await connectTo(plane, address);
  beforeRelay?.(far);
  const { promise: ended, resolve } = Promise.withResolvers<RelayEnd>();
  const relay = plane.relay(near.connection, far, { inspect, stalled, passedBytes, ended: resolve });
  const upstream = await arrival.promise;
  t.after(async () => {
    for (const socket of [near.socket, upstream]) socket.destroy();
    await until(
      () => plane.counters().open === 0,
      () => `${plane.counters().open} connections to be closed`,
    );
  });
  return { client: near.socket, upstream, relay, ended };
}

/** Resolves with at least `length` bytes, then pauses the socket again. */
export function nextText(socket: Socket, length: number): Promise<string> {
  let bytes = Buffer.alloc(0);
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < length) return;
      socket.off('data', onData).pause();
      resolve(bytes.toString('latin1'));
    };
    socket.on('data', onData).resume();
  });
}
