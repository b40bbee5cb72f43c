/** The number of collections of V8's whole heap while tcp-guard relays. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { type TestContext, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { until } from '../../platform/testing/until.ts';
import { guardedService, start, startUpstream } from '../testing/daemon.ts';

/** Disables marking in other threads and collections while idle: their number depends on the load of the machine. */
for (const flag of ['--single-threaded-gc', '--no-memory-reducer']) setFlagsFromString(flag);

const megabyte = 1024 * 1024;

type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** Counts collections of the whole heap. */
function majorCollections(t: TestContext): () => number {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as CollectionEntry[])
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) count += 1;
  });
  observer.observe({ entryTypes: ['gc'] });
  t.after(() => observer.disconnect());
  return () => count;
}

test('relaying a gigabyte does not collect the whole heap again and again', async (t) => {
  let taken = 0;
  const { port } = await startUpstream(t, (socket) => {
    socket.on('data', ({ length }) => {
      taken += length;
    });
  });
  const { dial } = await start(t, { services: { one: guardedService(port) } });
  const socket = dial('one');
  const collections = majorCollections(t);
  const chunk = Buffer.alloc(megabyte);
  for (let sent = 0; sent < 1024; sent += 1) if (!socket.write(chunk)) await once(socket, 'drain');
  await until(() => taken >= 1024 * megabyte);
  // Without the V8 flags that tcp-guard sets at its start, there are 40 to 60.
  assert.ok(collections() < 30, `${collections()} collections`);
});
