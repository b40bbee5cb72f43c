/** Back-pressure: when one side does not read, the plane stops reading from the other side. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../../plane.ts';
import { relayPair, type Subject, test } from './rig.ts';

const megabyte = 1024 * 1024;
/** More bytes than fit into all buffers. */
const mostBytes = 64 * megabyte;
const chunk = Buffer.alloc(megabyte, 'abcdefghijklmnopqrstuvwxyz0');

/** A socket counts as full when it has not drained for `quietTurns` turns of `turnMs` milliseconds. */
const [quietTurns, turnMs] = [20, 10];

async function isDrained(socket: Socket): Promise<boolean> {
  for (let turn = 0; turn < quietTurns && socket.writableNeedDrain; turn += 1) await sleep(turnMs);
  return !socket.writableNeedDrain;
}

/** Writes until the socket is full. Returns the number of bytes. */
export async function fillSocket(socket: Socket): Promise<number> {
  let written = 0;
  while (await isDrained(socket)) {
    assert.ok(written < mostBytes, `${written} bytes were taken for a side that does not read`);
    socket.write(chunk);
    written += chunk.length;
  }
  return written;
}

async function digestOfReceived(socket: Socket): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of socket) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

function digestOf(bytes: number): string {
  const hash = createHash('sha256');
  for (let left = bytes; left > 0; left -= chunk.length) hash.update(chunk);
  return hash.digest('hex');
}

export function flowTests<C extends Connection>({ create }: Subject<C>): void {
  for (const side of ['client', 'upstream'] as const)
    test(`takes a bounded number of bytes from the ${side} while the other side does not read, and then all`, async (t) => {
      const { client, upstream } = await relayPair(t, create());
      const [from, to] = side === 'client' ? [client, upstream] : [upstream, client];
      const written = await fillSocket(from);
      from.end();
      assert.equal(await digestOfReceived(to), digestOf(written));
    });

  test('a direction that is stalled does not stall the other one', async (t) => {
    const { client, upstream } = await relayPair(t, create());
    await fillSocket(upstream);
    for (let count = 0; count < 8; count += 1) client.write(chunk);
    client.end();
    assert.equal(await digestOfReceived(upstream), digestOf(8 * chunk.length));
  });
}
