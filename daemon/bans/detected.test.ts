import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { BanRequest } from './ban.ts';
import { BanEvidence, evidenceLine } from './evidence.ts';
import { configOf, dataFolder, scratchBans } from './testing/scratch.ts';

const yamlOf = (mode: string) => `version: 1\nglobal: {ban_duration: 1m}\nbans: {mode: ${mode}}`;
const [detect, enforce] = [yamlOf('detect'), yamlOf('enforce')];

const automatic = (ip: string, more: Partial<BanRequest> = {}): BanRequest => ({
  ip,
  reason: 'logs: 5 failed logins in 60s',
  origin: 'intake',
  isAutomatic: true,
  ...more,
});
const byHand = (ip: string): BanRequest => ({ ip, reason: 'by hand', origin: 'api' });
const attacker = '198.51.100.7';

describe('bans of mode detect', () => {
  it('lists automatic bans and enforces none of them', async (test) => {
    const { bans, changes } = await scratchBans(test, { yaml: detect });
    const enforced: string[] = [];
    bans.watch((change) => enforced.push(change.kind));
    const outcome = await bans.add(automatic(attacker));
    assert.ok(outcome.ok && outcome.isDurable && outcome.ban.isDetected);
    assert.deepEqual([bans.covers(attacker), bans.covering(attacker), [...bans.all()]], [false, undefined, []]);
    assert.deepEqual([bans.count(), bans.detectedCount(), enforced], [0, 1, []]);
    assert.equal(bans.detected(attacker)?.ip, attacker);
    assert.deepEqual(
      bans.list({ limit: 9 }).bans.map(({ ip, origin, isDetected }) => ({ ip, origin, isDetected })),
      [{ ip: attacker, origin: 'intake', isDetected: true }],
    );
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['banned'],
    );
  });

  it('enforces bans by hand, and leaves them in force when the address is detected', async (test) => {
    const { bans } = await scratchBans(test, { yaml: detect });
    await bans.add(automatic(attacker));
    await bans.add(byHand(attacker));
    await bans.add(automatic(attacker));
    assert.deepEqual([bans.covers(attacker), bans.count(), bans.detectedCount()], [true, 1, 0]);
    assert.equal(bans.covering(attacker)?.reason, 'by hand');
  });

  it('lengthens no later ban', async (test) => {
    const scratch = await scratchBans(test, { yaml: detect });
    for (let round = 0; round < 3; round++) {
      const outcome = await scratch.bans.add(automatic(attacker));
      assert.ok(outcome.ok);
      assert.equal(outcome.ban.expiresAt, scratch.clock + 60_000);
      scratch.clock += 61_000;
    }
    scratch.bans.configure(configOf(enforce));
    const outcome = await scratch.bans.add(automatic(attacker));
    assert.ok(outcome.ok && !outcome.ban.isDetected);
    assert.equal(outcome.ban.expiresAt, scratch.clock + 60_000);
  });
});

describe('the list of mode detect', () => {
  it('survives a restart, and the first start with mode enforce has an empty list', async (test) => {
    const dataDir = dataFolder();
    const first = await scratchBans(test, { yaml: detect, dataDir });
    await first.bans.add(automatic(attacker, { evidence: ['line 1', 'line 2'] }));
    await first.bans.close();
    const second = await scratchBans(test, { yaml: detect, dataDir });
    const [ban] = second.bans.list({ limit: 9 }).bans;
    assert.deepEqual([ban?.isDetected, ban?.evidence], [true, ['line 1', 'line 2']]);
    await second.bans.close();
    const third = await scratchBans(test, { yaml: enforce, dataDir });
    assert.deepEqual([third.bans.list({ limit: 9 }).bans, third.bans.covers(attacker)], [[], false]);
    await third.bans.close();
    using store = new DatabaseSync(join(dataDir, 'bans.sqlite'), { readOnly: true });
    assert.deepEqual(store.prepare('SELECT ip FROM bans').all(), []);
  });

  it('empties the list when a reload changes the mode to enforce', async (test) => {
    const { bans } = await scratchBans(test, { yaml: detect });
    await bans.add(automatic(attacker));
    await bans.add(byHand('198.51.100.8'));
    bans.configure(configOf(enforce));
    assert.deepEqual(
      bans.list({ limit: 9 }).bans.map(({ ip }) => ip),
      ['198.51.100.8'],
    );
  });
});

describe('evidence of bans', () => {
  it('keeps the last lines, printable and cut', async (test) => {
    const { bans } = await scratchBans(test);
    const lines = ['first', 'a\u001b[31m\n\u202eb', `${'\u0080'.repeat(400)}`, 'x'.repeat(2000)];
    await bans.add(automatic(attacker, { evidence: lines }));
    const [ban] = bans.list({ limit: 1 }).bans;
    assert.equal(ban?.evidence?.[0], 'a\\x1b[31m\\x0a\\u{202e}b');
    assert.deepEqual(
      ban?.evidence?.map(({ length }) => length),
      [22, 512, 512],
    );
  });

  it('deletes it from the store with the end of the ban', async (test) => {
    const dataDir = dataFolder();
    const rowOf = (): unknown => {
      using store = new DatabaseSync(join(dataDir, 'bans.sqlite'), { readOnly: true });
      return store.prepare('SELECT evidence FROM bans WHERE ip = ?').get(attacker)?.evidence;
    };
    const first = await scratchBans(test, { dataDir });
    await first.bans.add(automatic(attacker, { evidence: ['one'] }));
    await first.bans.close();
    assert.equal(rowOf(), 'one');
    // The ban ends while the daemon does not run. Its row stays, because it lengthens the next ban.
    const second = await scratchBans(test, { dataDir, clock: first.clock + 3_700_000 });
    await second.bans.close();
    assert.equal(rowOf(), null);
  });

  it('reads a store without the column', async (test) => {
    const dataDir = dataFolder();
    const first = await scratchBans(test, { dataDir });
    await first.bans.add(byHand(attacker));
    await first.bans.close();
    const store = new DatabaseSync(join(dataDir, 'bans.sqlite'));
    store.exec('ALTER TABLE bans DROP COLUMN evidence');
    store.close();
    const second = await scratchBans(test, { dataDir });
    assert.ok(second.bans.covers(attacker));
    assert.deepEqual(second.bans.problems(), []);
  });

  it('drops the oldest evidence beyond the bound', () => {
    const evidence = new BanEvidence();
    const dropped: string[] = [];
    for (let index = 0; index <= daemonBounds.banEvidence.bans; index++)
      dropped.push(...[evidence.set(`${index}`, ['line'])].filter((ip) => ip !== undefined));
    assert.deepEqual([dropped, evidence.linesOf('0')], [['0'], []]);
    assert.equal(evidenceLine('\ud800').length <= 8, true);
  });
});
