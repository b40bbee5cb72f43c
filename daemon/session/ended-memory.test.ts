import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { EndedMemory } from './ended-memory.ts';

const { connectionHeapBytes, endedBytes, endsBetweenChecks } = daemonBounds;
const bytesAtStart = 1000;

/** A heap in which connections leave garbage. `collections`: how often it was collected. */
function heap() {
  const state = { bytes: bytesAtStart, collections: 0, open: 0 };
  const collect = () => {
    state.collections += 1;
    state.bytes = bytesAtStart + state.open * connectionHeapBytes;
  };
  const memory = new EndedMemory(collect, () => state.bytes);
  const open = (count: number, bytesOfEach = connectionHeapBytes) => {
    state.open += count;
    state.bytes += count * bytesOfEach;
    for (let each = 0; each < count; each += 1) memory.opened();
  };
  const end = async (count: number) => {
    state.open -= count;
    for (let each = 0; each < count; each += 1) memory.ended();
    await turn();
  };
  return { state, open, end };
}

const most = Math.ceil(endedBytes / connectionHeapBytes / endsBetweenChecks) * endsBetweenChecks;

test('collects the memory of long connections when enough have ended', async () => {
  const { state, open, end } = heap();
  open(most + 2 * endsBetweenChecks);
  await end(endsBetweenChecks);
  await end(most - endsBetweenChecks);
  assert.equal(state.collections, 0);
  await end(endsBetweenChecks);
  assert.equal(state.collections, 1);
});

test('collects when connections replace others', async () => {
  const { state, open, end } = heap();
  open(endsBetweenChecks);
  for (let round = 0; round < 3 * (most / endsBetweenChecks); round += 1) {
    open(endsBetweenChecks);
    await end(endsBetweenChecks);
  }
  assert.ok(state.collections === 2 || state.collections === 3, String(state.collections));
});

test('collects nothing for open connections, short ones, and after V8 has collected', async () => {
  const { state, open, end } = heap();
  open(5 * most);
  for (let round = 0; round < 100; round += 1) {
    open(endsBetweenChecks, 0);
    await end(endsBetweenChecks);
  }
  open(most / 2);
  await end(most / 2);
  state.bytes -= (most / 2) * connectionHeapBytes;
  open(endsBetweenChecks, 0);
  await end(endsBetweenChecks);
  open(most / 2);
  await end(most / 2);
  assert.equal(state.collections, 0);
});
