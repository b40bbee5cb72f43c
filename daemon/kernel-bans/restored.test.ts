/** Bans of a store that is locked when the daemon starts, and can be read later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { scratchBans } from '../bans/testing/scratch.ts';
import { bytesOf, echo, guardedService, received, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { client, isServed, refusalOf, skip, timeout, withKernel } from '../testing/kernel-bans.ts';

for (const [kernel, workers] of [
  ['off', 1],
  ['off', 2],
  ['bpf', 1],
  ['bpf', 2],
] as const)
  test(`bans that are read late are enforced: bans.kernel ${kernel}, ${workers} workers`, {
    timeout,
    skip: kernel !== 'off' && skip,
  }, async (t) => {
    const { port } = await startUpstream(t, echo);
    const folder = temporaryFolder();
    const yaml = '{ version: 1, global: { never_ban: [] } }';
    const { bans } = await scratchBans(t, { yaml, dataDir: folder, clock: Date.now() }); // locks the store
    assert.ok((await bans.add({ ip: client, reason: 'test', origin: 'api' })).ok);
    const file = withKernel({ bans: { kernel, on_error: 'serve' }, services: { one: guardedService(port) } }, workers);
    const started = await start(t, file, { folder });
    const { daemon, dial, events } = started;
    assert.equal(daemon.bans.store(), 'unread');
    const open = dial('one', { localAddress: client });
    open.write('x');
    await bytesOf(open, 1);
    const cut = received(open);
    await bans.close();
    await cut;
    if (kernel === 'off') await until(async () => !(await isServed(started, client)));
    else assert.equal(await refusalOf(started, client), 'ban');
    assert.equal(daemon.bans.count(), 1);
    assert.deepEqual(
      events.filter(({ action }) => action === 'banned'),
      [],
      'the ban began earlier',
    );
  });
