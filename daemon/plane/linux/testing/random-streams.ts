/** Sends random streams through a plane and checks every byte. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Connection, DataPlane } from '../../plane.ts';
import { relayAll } from '../../testing/conformance/churn.ts';

type Random = () => number;

export interface Tally {
  streams: number;
  whole: number;
  bytes: number;
}

const ignore = (): void => {};

async function echoServer(): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', ignore).pipe(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const pool = randomBytes(4 * 1024 * 1024);
const longest = 1_500_000;

interface Seen {
  readonly bytes: Buffer;
  readonly how: 'end' | 'lost';
}

async function readUntilClosed(socket: Socket): Promise<Seen> {
  const chunks: Buffer[] = [];
  let how: Seen['how'] = 'lost';
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => (how = 'end'));
  await new Promise((resolve) => socket.on('error', ignore).once('close', resolve));
  return { bytes: Buffer.concat(chunks), how };
}

async function send(socket: Socket, bytes: Uint8Array, random: Random): Promise<void> {
  for (let sent = 0; sent < bytes.length && !socket.destroyed; ) {
    const piece = bytes.subarray(sent, sent + 1 + Math.floor(random() ** 4 * 300_000));
    sent += piece.length;
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(ignore);
  }
  if (!socket.destroyed) socket.end();
}

const mostListens = 10;

async function relayToEcho<C extends Connection>(plane: DataPlane<C>, port: number) {
  const relay = relayAll(plane, port);
  const accept = async (client: C): Promise<void> => {
    const isEnough = () => true;
    const { why } = await client.peek({ limit: 16_384, timeoutMs: 60_000, isEnough });
    if (why === 'enough') relay(client);
    else client.end('reset');
  };
  const handlers = { accept: (client: C) => void accept(client), unattributed: ignore, fault: ignore };
  for (let tries = 1; ; tries += 1)
    try {
      return await plane.listen({ host: '127.0.0.1', port: 0 }, handlers);
    } catch (error) {
      if (tries === mostListens) throw error;
    }
}

/** Runs one stream. The received bytes must be complete, or a prefix when the stream ended with an error. */
async function runStream(port: number, random: Random, tally: Tally): Promise<void> {
  const length = 1 + Math.floor(random() ** 3 * longest);
  const from = Math.floor(random() * (pool.length - length));
  const sent = pool.subarray(from, from + length);
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  const receiving = readUntilClosed(socket);
  await send(socket, sent, random);
  const { bytes, how } = await receiving;
  if (how === 'end') {
    assert.equal(bytes.length, sent.length, 'a stream ended early without an error');
    tally.whole += 1;
  }
  assert.ok(bytes.equals(sent.subarray(0, bytes.length)), 'other bytes than were sent');
  tally.streams += 1;
  tally.bytes += bytes.length;
}

const parallel = 12;

/** Runs streams until `isOver`. The plane may close its connections a little later. */
export async function runStreams<C extends Connection>(
  plane: DataPlane<C>,
  random: Random,
  isOver: () => boolean,
): Promise<Tally> {
  const tally: Tally = { streams: 0, whole: 0, bytes: 0 };
  const server = await echoServer();
  const listener = await relayToEcho(plane, portOf(server));
  const lane = async () => {
    while (!isOver()) await runStream(listener.endpoint.port, random, tally);
  };
  try {
    await Promise.all(Array.from({ length: parallel }, lane));
  } finally {
    await listener.close();
    server.close();
  }
  return tally;
}
