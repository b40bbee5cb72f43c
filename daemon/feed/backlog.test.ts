import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/until.ts';
import { BacklogFile } from './backlog-file.ts';
import { json } from './testing/fake-lapi.ts';
import { alerts, ban, banned, created, lifted, run } from './testing/running-push.ts';

const isAway = json({}, 500);
const kept = (dataDir: string) => join(dataDir, 'push.jsonl');

describe('push of unsent changes of the previous run', () => {
  it('sends unsent changes after the start, and sent ones not again', async (t) => {
    const first = await run(t, created);
    first.notify(banned('192.0.2.1'));
    await until(() => first.push.pending() === 0);
    first.lapi.answer(isAway);
    for (const ip of ['192.0.2.2', '198.51.100.0/24', '192.0.2.3']) first.notify(banned(ip));
    for (const ip of ['192.0.2.3', '192.0.2.4']) first.notify(lifted(ip));
    // The first push is not closed, as for a killed process.
    assert.equal(statSync(kept(first.dataDir)).mode & 0o777, 0o600);
    const held = ['192.0.2.1', '192.0.2.2', '198.51.100.0/24'].map((ip) => ban(ip));
    const { lapi, push, said } = await run(t, created, { dataDir: first.dataDir, held });
    assert.equal(push.pending(), 4);
    await until(() => push.pending() === 0);
    assert.deepEqual(
      alerts(lapi).map(({ source }) => (source as { value: string }).value),
      ['192.0.2.2', '198.51.100.0/24'],
    );
    assert.deepEqual(
      lapi.asked.filter((one) => one.startsWith('DELETE')).map((one) => /value=([^&]+)/.exec(one)?.[1]),
      ['192.0.2.3', '192.0.2.4'],
    );
    assert.deepEqual(said, []);
    const third = await run(t, created, { dataDir: first.dataDir, held });
    assert.equal(third.push.pending(), 0);
  });

  it('drops changes that are obsolete by now', async (t) => {
    const first = await run(t, isAway);
    for (const ip of ['192.0.2.1', '192.0.2.2']) first.notify(banned(ip));
    for (const ip of ['192.0.2.3', '192.0.2.4']) first.notify(lifted(ip));
    const held = ['192.0.2.1', '192.0.2.3'].map((ip) => ban(ip));
    const { lapi, push } = await run(t, created, { dataDir: first.dataDir, held });
    await until(() => push.pending() === 0);
    assert.equal(alerts(lapi).length, 1);
    assert.equal(lapi.asked.at(-1), 'DELETE /v1/decisions?value=192.0.2.4&type=ban&origin=guard');
  });

  it('reads the readable lines and reports the others', async (t) => {
    const first = await run(t, isAway);
    for (const ip of ['192.0.2.1', '192.0.2.2']) first.notify(banned(ip));
    const text = readFileSync(kept(first.dataDir), 'utf8');
    const damage = ['hello', '{"kind":"banned","ban":{"ip":"x"}}', '{"kind":"other"}', '[]', 'null', '{"settled":[1]}'];
    writeFileSync(kept(first.dataDir), `${damage.join('\n')}\n${text}{"kind":"banned","ban":{"ip":"192.0`);
    const held = ['192.0.2.1', '192.0.2.2'].map((ip) => ban(ip));
    const { push, said } = await run(t, isAway, { dataDir: first.dataDir, held });
    assert.equal(push.pending(), 2);
    assert.match(said[0] ?? '', /^threat feed: cannot read 7 lines of the unsent bans/);
  });
});

describe('push of waiting changes', () => {
  it('deletes the decisions of unsent unbans after which the address was banned again', async (t) => {
    const first = await run(t, isAway);
    for (const ip of ['192.0.2.1', '192.0.2.2']) for (const change of [lifted(ip), banned(ip)]) first.notify(change);
    const { lapi, push } = await run(t, created, { dataDir: first.dataDir, held: [ban('192.0.2.1')] });
    await until(() => push.pending() === 0);
    assert.deepEqual(
      lapi.asked.filter((one) => one.startsWith('DELETE')).map((one) => /value=([^&]+)/.exec(one)?.[1]),
      ['192.0.2.1', '192.0.2.2'],
    );
    assert.equal(alerts(lapi).length, 1);
  });

  it('keeps them in a file of bounded size', async (t) => {
    const { push, notify, dataDir } = await run(t, created);
    const many = 200;
    const reason = 'x'.repeat(daemonBounds.banReasonBytes);
    let most = 0;
    while (most <= daemonBounds.pushFileBytes) {
      for (let index = 0; index < many; index++) notify(banned(`192.0.2.${index}`, { reason }));
      await until(() => push.pending() === 0);
      const size = statSync(kept(dataDir)).size;
      if (size < most) return;
      most = size;
    }
    assert.fail(`the file has ${most} bytes`);
  });

  it('keeps them in memory when the disk fails', async (t) => {
    const { lapi, push, said, notify } = await run(t, isAway, { dataDir: '/proc/nowhere' });
    notify(banned('192.0.2.1'));
    lapi.answer(created);
    await until(() => push.pending() === 0);
    assert.deepEqual(said[0], 'threat feed: cannot store unsent bans on disk (ENOENT)');
    assert.equal(said.filter((one) => one.includes('disk')).length, 1);
  });

  for (const store of ['unread', 'stalled'] as const)
    it(`keeps those of the previous run while the bans themselves cannot be read (${store})`, async (t) => {
      const first = await run(t, isAway);
      for (const change of [banned('192.0.2.1'), lifted('192.0.2.2')]) first.notify(change);
      const { lapi, push } = await run(t, created, { dataDir: first.dataDir, store });
      await until(() => push.pending() === 0);
      assert.equal(alerts(lapi).length, 1);
      assert.equal(lapi.asked.filter((one) => one.startsWith('DELETE')).length, 1);
    });

  it('stores them again after the clock was set back', () => {
    const dataDir = join(scratchFolder('guard-push-'), 'later');
    let now = 1_000_000;
    const file = new BacklogFile({ dataDir, now: () => now, everything: () => [], complain: () => undefined });
    file.write({ settled: [] });
    mkdirSync(dataDir);
    now = 0;
    file.write({ settled: [] });
    file.close();
    assert.ok(existsSync(kept(dataDir)));
  });
});
