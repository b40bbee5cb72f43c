/** The bytes that a relay reports because a receiver does not read. */
import assert from 'node:assert/strict';
import { until } from '../../../../platform/testing/until.ts';
import type { Connection } from '../../plane.ts';
import { relayPair, type Subject, test } from './rig.ts';

/** More bytes than fit into the buffers of the kernel. */
const muchBytes = 96 * 1024 * 1024;
/** Two chunks of a data plane: one that waits, and one that Node reads ahead. */
const mostBytes = 2 * 262_144;

export function stallTests<C extends Connection>({ create }: Subject<C>): void {
  for (const [sender, receiver] of [
    ['upstream', 'client'],
    ['client', 'upstream'],
  ] as const)
    test(`reports the bytes that wait for the ${receiver}, and their end`, async (t) => {
      const reported: number[] = [];
      // Inspected bytes are copied on each plane. Others can wait in a pipe, in the kernel.
      const inspect = () => 0;
      const pair = await relayPair(t, create(), { inspect, stalled: (bytes) => void reported.push(bytes) });
      const last = (): number => reported.at(-1) ?? 0;
      pair[sender].end(Buffer.alloc(muchBytes));
      await until(async () => last() > 0, 'bytes to wait');
      pair[receiver].resume();
      await until(async () => pair[receiver].readableEnded, 'the end');
      assert.equal(last(), 0);
      assert.ok(Math.max(...reported) <= mostBytes, `${Math.max(...reported)} bytes`);
    });

  test('reports nothing while the receivers read', async (t) => {
    const reported: number[] = [];
    const { client, upstream } = await relayPair(t, create(), { stalled: (bytes) => void reported.push(bytes) });
    client.resume();
    upstream.resume();
    client.end('a');
    upstream.end('b');
    await until(async () => client.readableEnded && upstream.readableEnded, 'both ends');
    assert.deepEqual(
      reported.filter((bytes) => bytes > 0),
      [],
    );
  });
}
