/** Connections that are opened and closed at random: every byte that arrives is the right one, and nothing remains. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../../../platform/until.ts';
import { randomNumbers } from '../../inspectors/testing/random.ts';
import type { Connection, DataPlane } from '../plane.ts';
import { type Subject, test } from './rig.ts';

const atOnce = 64;
const pool = randomBytes(4 * 1024 * 1024);
const longest = 300_000;
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What one end of a connection sends, and how it closes. */
interface Plan {
  readonly bytes: Buffer;
  /** The number of bytes after which it resets. Undefined: it ends its direction after the last one. */
  readonly resetAfter: number | undefined;
  readonly pauses: readonly number[];
}

/** The plans of both ends depend only on the number of the connection. */
function plansOf(id: number): readonly [Plan, Plan] {
  const random = randomNumbers(id);
  const plan = (prefix: Buffer): Plan => {
    const length = Math.floor(random() ** 3 * longest);
    const from = Math.floor(random() * (pool.length - length));
    const bytes = Buffer.concat([prefix, pool.subarray(from, from + length)]);
    const resetAfter = random() < 0.15 ? Math.floor(random() * bytes.length) + prefix.length : undefined;
    return { bytes, resetAfter, pauses: Array.from({ length: 8 }, () => Math.floor(random() ** 2 * bytes.length)) };
  };
  const number = Buffer.alloc(4);
  number.writeUInt32BE(id);
  return [plan(number), plan(Buffer.alloc(0))];
}

interface Outcome {
  readonly bytes: number;
  readonly digest: string;
  readonly isWhole: boolean;
}

/** Sends what is planned, and reads until the connection is closed. */
function play(socket: Socket, { bytes, resetAfter, pauses }: Plan): Promise<Outcome> {
  const digest = createHash('sha256');
  let count = 0;
  let isWhole = false;
  socket.on('data', (chunk: Buffer) => {
    digest.update(chunk);
    count += chunk.length;
  });
  socket.on('end', () => {
    isWhole = true;
  });
  const closed = new Promise<Outcome>((resolve) =>
    socket.on('close', () => resolve({ bytes: count, digest: digest.digest('hex'), isWhole })),
  );
  void send(socket, bytes, resetAfter, pauses);
  return closed;
}

async function send(socket: Socket, bytes: Buffer, resetAfter: number | undefined, pauses: readonly number[]) {
  const stops = [...pauses, bytes.length].filter((at) => at <= (resetAfter ?? bytes.length)).sort((a, b) => a - b);
  let at = 0;
  for (const stop of stops) {
    socket.write(bytes.subarray(at, stop));
    at = stop;
    await turn();
  }
  if (resetAfter === undefined) socket.end();
  else socket.resetAndDestroy();
}

/** An upstream that plays the plan of the connection whose number arrives first. */
async function upstreamOf(outcomes: Map<number, Promise<Outcome>>) {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket
      .on('error', () => {})
      .once('readable', () => {
        const number = socket.read(4) as Buffer | null;
        if (!number) return void socket.destroy(); // its client was reset before
        socket.unshift(number);
        const id = number.readUInt32BE();
        outcomes.set(id, play(socket, plansOf(id)[1]));
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, port: (server.address() as { port: number }).port };
}

function relayAll<C extends Connection>(plane: DataPlane<C>, port: number): (client: C) => void {
  return (client) => {
    const cancel = plane.connect({ ip: '127.0.0.1', port }, (outcome) => {
      if (outcome.ok) plane.relay(client, outcome.connection, { inspect: undefined, ended: () => {} });
      else client.end('reset');
    });
    client.onGone(cancel);
  };
}

function check(name: string, { bytes: sent, resetAfter }: Plan, other: Plan, outcome: Outcome): void {
  const { bytes, digest, isWhole } = outcome;
  assert.equal(digest, hash(sent.subarray(0, bytes)), `${name}: the first ${bytes} bytes`);
  const isUndisturbed = resetAfter === undefined && other.resetAfter === undefined;
  if (isUndisturbed || isWhole) assert.equal(bytes, sent.length, `${name}: all bytes`);
  assert.equal(isWhole || !isUndisturbed, true, `${name}: ends regularly`);
}

/** Runs `count` connections, some of which are reset at either end. */
export async function churn<C extends Connection>(
  t: Pick<TestContext, 'after'>,
  plane: DataPlane<C>,
  count: number,
): Promise<void> {
  const upstreams = new Map<number, Promise<Outcome>>();
  const { server, port: upstreamPort } = await upstreamOf(upstreams);
  t.after(() => void server.close());
  // a client that is reset before it is accepted has no address
  const handlers = { accept: relayAll(plane, upstreamPort), unattributed: () => {}, fault: assert.fail };
  const listener = await plane.listen({ host: '127.0.0.1', port: 0 }, handlers);
  t.after(() => listener.close());
  const { port } = listener.endpoint;
  let last = 0;
  const run = async (): Promise<void> => {
    for (let id = ++last; id <= count; id = ++last) {
      const [up, down] = plansOf(id);
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
      check(`upstream ${id}`, down, up, await play(socket, up));
      const outcome = await upstreams.get(id);
      if (outcome) check(`client ${id}`, up, down, outcome);
      else assert.notEqual(up.resetAfter, undefined, `client ${id} reached its upstream`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  assert.equal(plane.counters().accepted, count);
  await until(() => plane.counters().open === 0, 'all connections to be closed');
}

export function churnTests<C extends Connection>(create: Subject<C>['create'], count: number): void {
  test(`${count} connections that open, send, end and reset at random`, (t) => churn(t, create(), count));
}
