/** Bans of a store that is locked when the daemon starts, and can be read later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { scratchBans } from '../bans/testing/scratch.ts';
import { bytesOf, echo, guardedService, received, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';

const client = '127.0.0.7';

for (const workers of [1, 2])
  test(`bans that are read late are enforced: ${workers} workers`, async (t) => {
    const { port } = await startUpstream(t, echo);
    const folder = temporaryFolder();
    const yaml = '{ version: 1, global: { never_ban: [] } }';
    const { bans } = await scratchBans(t, { yaml, dataDir: folder, clock: Date.now() }); // locks the store
    assert.ok((await bans.add({ ip: client, reason: 'test', origin: 'api' })).ok);
    const file = { global: { workers }, bans: { on_error: 'serve' as const }, services: { one: guardedService(port) } };
    const started = await start(t, file, { folder });
    const { daemon, dial, events } = started;
    assert.equal(daemon.bans.store(), 'unread');
    const open = dial('one', { localAddress: client });
    open.write('x');
    await bytesOf(open, 1);
    const cut = received(open);
    await bans.close();
    await cut;
    await until(async () => {
      const next = dial('one', { localAddress: client });
      next.write('x');
      const echoed = bytesOf(next, 1).then(() => true);
      return !(await Promise.race([echoed, received(next).then(() => false)]));
    });
    assert.equal(daemon.bans.count(), 1);
    assert.deepEqual(
      events.filter(({ action }) => action === 'banned'),
      [],
      'the ban began earlier',
    );
  });
