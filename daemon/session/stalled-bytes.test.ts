import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { bytesOf, guardedService, start, startUpstream } from '../testing/daemon.ts';
import { EndedMemory } from './ended-memory.ts';
import { mostStalledBytes, type StalledAccount, StalledBytes } from './stalled-bytes.ts';

/** Relays whose closed connections are listed by name. */
function relays(mostBytes: number, collect = () => {}) {
  const stalled = new StalledBytes(new EndedMemory(collect), mostBytes);
  const cut: string[] = [];
  const open = (name: string): StalledAccount => stalled.open({ cut: () => void cut.push(name) });
  return { stalled, cut, open };
}

test('closes the relay that has kept bytes longest, and none that drains', () => {
  const { stalled, cut, open } = relays(100);
  const [drains, never, later] = [open('drains'), open('never'), open('later')];
  drains.set(40);
  never.set(40);
  drains.set(0);
  drains.set(40);
  assert.deepEqual(cut, []);
  later.set(40);
  assert.deepEqual(cut, ['never']);
  assert.equal(stalled.bytes, 80);
});

test('more bytes of a relay do not make it a later one', () => {
  const { cut, open } = relays(100);
  const [first, second] = [open('first'), open('second')];
  first.set(10);
  second.set(40);
  first.set(61);
  assert.deepEqual(cut, ['first']);
});

test('collects the memory of closed relays', async () => {
  let collections = 0;
  const { open } = relays(1, () => collections++);
  open('a').set(daemonBounds.heldGarbage);
  await turn();
  assert.equal(collections, 1);
});

test('several processes share the bound', () => {
  assert.ok(mostStalledBytes(1) >= daemonBounds.stalledBytes.least);
  assert.equal(mostStalledBytes(4), mostStalledBytes(1) / 4);
});

test('a client that reads nothing ends beyond the bound, and others are served', async (t) => {
  t.mock.property(daemonBounds, 'stalledBytes', { least: 1, memoryShare: 0 });
  const download = Buffer.alloc(96 * 1024 * 1024);
  const { port } = await startUpstream(t, (socket) => {
    socket.on('data', (bytes) => socket.write(bytes.includes('all') ? download : 'some'));
  });
  // On the Linux plane these bytes are in a pipe of the kernel, not in memory.
  const services = { it: guardedService(port) };
  const { dial, event, daemon } = await start(t, { services, global: { data_plane: 'net' } });
  const stalled = dial('it').pause();
  t.after(() => stalled.destroy());
  stalled.write('all');
  const { reason } = await event(({ action }) => action === 'blocked');
  assert.equal(reason, 'memory');
  const served = dial('it');
  served.write('x');
  assert.equal((await bytesOf(served, 4)).toString(), 'some');
  served.destroy();
  await until(() => daemon.stats().it?.total_blocked === 1);
});
