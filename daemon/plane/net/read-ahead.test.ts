import assert from 'node:assert/strict';
import { until } from '../../../platform/testing/until.ts';
import { relayPair, test } from '../testing/conformance/rig.ts';
import { createNetPlane } from './plane.ts';

test('reports what Node reads behind held bytes, until they are relayed', async (t) => {
  const reported: number[] = [];
  let isHeld = true;
  let inspections = 0;
  const pair = await relayPair(t, createNetPlane(), {
    stalled: (bytes) => void reported.push(bytes),
    inspect: (_, chunk) => {
      inspections += 1;
      return isHeld ? { passedBytes: 0, held: Uint8Array.from(chunk) } : 0;
    },
  });
  const last = (): number => reported.at(-1) ?? 0;
  pair.client.write('AUTH');
  await until(async () => inspections === 1, 'bytes to be held');
  assert.equal(last(), 0);
  pair.client.end(Buffer.alloc(100_000));
  await until(async () => last() > 0, 'bytes behind them to be read');
  assert.equal(inspections, 1);
  isHeld = false;
  pair.relay.resume();
  pair.upstream.resume();
  await until(async () => pair.upstream.readableEnded, 'the end');
  assert.equal(pair.upstream.bytesRead, 100_004);
  assert.equal(last(), 0);
});
