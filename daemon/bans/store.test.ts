import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import type { BanOutcome, BanRequest, Bans } from './ban.ts';
import { toRow } from './row.ts';
import { openStore } from './store.ts';
import { sampleRecord } from './testing/samples.ts';
import { dataFolder, scratchBans } from './testing/scratch.ts';

const ban = (bans: Bans, ip: string): Promise<BanOutcome> => bans.add({ ip, reason: 'by hand', origin: 'api' });

/** The configuration of a daemon that serves even when it cannot read its store. */
const serving = '{ version: 1, bans: { on_error: serve } }';

describe('ban store: new', () => {
  const what = { changes: [toRow(sampleRecord('198.51.100.1', 1))], lifted: [], isWhole: false };
  for (const kind of ['load', 'write'] as const)
    it(`reports that the disk responds while a ${kind} creates the store, and not later`, async (test) => {
      const store = openStore(join(dataFolder(), 'bans.sqlite'));
      test.after(() => store.close(() => {}));
      let steps = 0;
      const onStep = () => void steps++;
      const first = kind === 'load' ? store.load(() => {}, onStep) : store.write(what, onStep);
      assert.deepEqual([(await first).ok, steps], [true, 2]);
      assert.equal((await store.write(what, onStep)).ok, true);
      assert.equal(steps, 2);
    });
});

describe('ban store: replaced', () => {
  it('sets aside a store of another version', async (test) => {
    const dataDir = dataFolder();
    const database = new DatabaseSync(join(dataDir, 'bans.sqlite'));
    database.exec('CREATE TABLE bans (ip TEXT); PRAGMA user_version = 7');
    database.close();
    const { bans } = await scratchBans(test, { dataDir });
    assert.match(bans.problems().join(), /version is 7, not 1/);
    const outcome = await ban(bans, '203.0.113.1');
    assert.ok(outcome.ok && outcome.isDurable);
  });

  it('rewrites everything when its file was removed', async (test) => {
    const dataDir = dataFolder();
    const first = await scratchBans(test, { dataDir });
    await ban(first.bans, '198.51.100.1');
    rmSync(join(dataDir, 'bans.sqlite'));
    const outcome = await ban(first.bans, '198.51.100.2');
    assert.ok(outcome.ok && outcome.isDurable);
    assert.match(first.bans.problems().join(), /removed/);
    await first.bans.close();
    const second = await scratchBans(test, { dataDir });
    assert.equal(second.bans.count(), 2);
  });
});

describe('ban store: a pipe in its place', () => {
  it('refuses to start with a pipe in place of the store', async (test) => {
    const dataDir = dataFolder();
    assert.equal(spawnSync('mkfifo', [join(dataDir, 'bans.sqlite')]).status, 0);
    await assert.rejects(scratchBans(test, { dataDir }), /cannot read the ban store .*bans.sqlite: not a regular file/);
  });

  it('continues when a pipe replaces the store, and after a restart', async (test) => {
    const dataDir = dataFolder();
    const { bans } = await scratchBans(test, { dataDir });
    await ban(bans, '198.51.100.1');
    rmSync(join(dataDir, 'bans.sqlite'));
    assert.equal(spawnSync('mkfifo', [join(dataDir, 'bans.sqlite')]).status, 0);
    const outcome = await ban(bans, '198.51.100.2');
    assert.ok(outcome.ok && outcome.isDurable);
    await bans.close();
    const next = await scratchBans(test, { dataDir });
    assert.equal(next.bans.count(), 2);
  });
});

describe('ban store: inaccessible', () => {
  it('enforces in memory and catches up when the store is available', async (test) => {
    const dataDir = dataFolder();
    const first = await scratchBans(test, { dataDir });
    await ban(first.bans, '198.51.100.1');
    const second = await scratchBans(test, { dataDir, yaml: serving }); // `first` has the lock
    assert.equal(second.bans.store(), 'unread');
    const outcome = await ban(second.bans, '198.51.100.2');
    assert.ok(outcome.ok && !outcome.isDurable);
    assert.ok(second.bans.covering('198.51.100.2'));
    assert.match(second.bans.problems().join(), /not stored: .*locked/);
    await first.bans.close();
    await until(() => second.changes.some(({ kind }) => kind === 'restored'));
    assert.equal(second.bans.store(), 'ok');
    assert.ok(second.bans.covering('198.51.100.1'));
    await second.bans.close();
    const third = await scratchBans(test, { dataDir });
    assert.equal(third.bans.count(), 2);
  });

  it('refuses to start without the stored bans, and leaves the store to the daemon that has it', async (test) => {
    const dataDir = dataFolder();
    const { bans } = await scratchBans(test, { dataDir });
    await ban(bans, '198.51.100.1');
    await assert.rejects(
      scratchBans(test, { dataDir }),
      /cannot read the ban store .*bans.sqlite: .*locked.*set bans\.on_error/,
    );
    const outcome = await ban(bans, '198.51.100.2');
    assert.ok(outcome.ok && outcome.isDurable);
    await bans.close();
    const next = await scratchBans(test, { dataDir });
    assert.deepEqual([next.bans.count(), next.bans.store()], [2, 'ok']);
  });

  it('works where its folder cannot be created', async (test) => {
    const dataDir = join(dataFolder(), 'file', 'data');
    writeFileSync(join(dataDir, '..'), 'in the way');
    const { bans } = await scratchBans(test, { dataDir, yaml: serving });
    const outcome = await ban(bans, '198.51.100.2');
    assert.ok(outcome.ok && !outcome.isDurable);
    assert.ok(bans.covering('198.51.100.2'));
    await ban(bans, '198.51.100.3');
    assert.equal((await bans.remove('198.51.100.3'))?.isDurable, false);
    assert.equal(bans.covering('198.51.100.3'), undefined);
    rmSync(join(dataDir, '..'));
    await until(() => bans.problems().length === 0);
    assert.ok(statSync(join(dataDir, 'bans.sqlite')).isFile());
  });

  it('is readable only by its owner', async (test) => {
    const dataDir = dataFolder();
    chmodSync(dataDir, 0o755);
    const { bans } = await scratchBans(test, { dataDir });
    await ban(bans, '198.51.100.2');
    const modes = readdirSync(dataDir).map((file) => statSync(join(dataDir, file)).mode & 0o777);
    assert.deepEqual(new Set(modes), new Set([0o600]));
  });
});

const again = { ip: '198.51.100.1', reason: 'again', origin: 'api' } as const;
const permanent = { durationMs: null };
const hour = 3_600_000;

/** Bans an address in a daemon that cannot read its store. The store already has the bans of `stored`. */
async function bannedMeanwhile(test: TestContext, stored: Partial<BanRequest>[], meanwhile: Partial<BanRequest>) {
  const dataDir = dataFolder();
  const first = await scratchBans(test, { dataDir });
  for (const request of stored) {
    await first.bans.add({ ...again, ...request });
    first.clock = (first.bans.covering(again.ip)?.expiresAt ?? first.clock) + 1;
  }
  const second = await scratchBans(test, { dataDir, yaml: serving, clock: first.clock });
  await second.bans.add({ ...again, ...meanwhile });
  const read = async () => {
    await first.bans.close();
    await until(() => second.changes.some(({ kind }) => kind === 'restored'));
    return second;
  };
  /** Returns the bans after the next start. */
  const next = async () => {
    await second.bans.close();
    return (await scratchBans(test, { dataDir, clock: second.clock })).bans;
  };
  return { bans: second.bans, read, next };
}

describe('ban store: inaccessible while an address is banned again', () => {
  it('keeps a longer stored ban of an address that is banned again meanwhile', async (test) => {
    const { bans, read, next } = await bannedMeanwhile(test, [permanent], { durationMs: hour });
    assert.equal(typeof bans.covering(again.ip)?.expiresAt, 'number');
    await read();
    assert.equal(bans.covering(again.ip)?.expiresAt, null);
    assert.equal((await next()).covering(again.ip)?.expiresAt, null);
  });

  it('keeps the ban of now where the stored one is shorter', async (test) => {
    const { bans, read, next } = await bannedMeanwhile(test, [{ durationMs: hour }], permanent);
    await read();
    assert.equal(bans.covering(again.ip)?.expiresAt, null);
    assert.equal((await next()).covering(again.ip)?.expiresAt, null);
  });

  it('keeps a ban that replaces a longer one, and the end of a lifted one', async (test) => {
    const replaced = await bannedMeanwhile(test, [permanent], { durationMs: hour, replace: true });
    await replaced.read();
    assert.equal(typeof (await replaced.next()).covering(again.ip)?.expiresAt, 'number');
    const lifted = await bannedMeanwhile(test, [permanent], { durationMs: hour });
    await lifted.bans.remove(again.ip);
    await lifted.read();
    assert.equal(lifted.bans.covering(again.ip), undefined);
    assert.equal((await lifted.next()).covering(again.ip), undefined);
  });

  for (const [what, durationMs] of [
    ['shorter', 1],
    ['longer', 24 * hour],
  ] as const)
    it(`counts stored bans for the growth of an address that is banned meanwhile, for a ${what} time`, async (test) => {
      const { bans, read, next } = await bannedMeanwhile(test, [{}, {}], { durationMs });
      const second = await read();
      second.clock += 25 * hour;
      const outcome = await bans.add(again);
      assert.ok(outcome.ok);
      assert.equal((outcome.ban.expiresAt ?? 0) - outcome.ban.bannedAt, 4 * hour);
      assert.equal((await next()).covering(again.ip)?.expiresAt, outcome.ban.expiresAt);
    });
});

describe('ban store: full disk', () => {
  for (const [removed, pattern] of [
    ['another file', /filler/],
    ['the store, too,', /filler|sqlite/],
  ] as const)
    it(`reports that a ban is not durable, and writes all when ${removed} is removed`, async (test) => {
      const disk = join(dataFolder(), 'disk');
      mkdirSync(disk);
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
      if (mounted.status !== 0) return test.skip('mounting a small file system needs root');
      try {
        await fillAndFree(test, disk, pattern);
      } finally {
        spawnSync('umount', ['-l', disk]);
      }
    });
});

async function fillAndFree(test: Parameters<typeof scratchBans>[0], dataDir: string, removed: RegExp): Promise<void> {
  const { bans } = await scratchBans(test, { dataDir });
  const before = await ban(bans, '198.51.100.1');
  assert.ok(before.ok && before.isDurable);
  spawnSync('dd', ['if=/dev/zero', `of=${join(dataDir, 'filler')}`, 'bs=4096']);
  const outcomes = await Promise.all(
    Array.from({ length: 500 }, (_, host) => ban(bans, `10.0.${host >> 8}.${host & 255}`)),
  );
  assert.ok(outcomes.every((outcome) => outcome.ok));
  assert.ok(outcomes.some((outcome) => outcome.ok && !outcome.isDurable));
  assert.ok(bans.covering('10.0.1.1'));
  assert.match(bans.problems().join(), /not stored/);
  for (const file of readdirSync(dataDir).filter((name) => removed.test(name))) rmSync(join(dataDir, file));
  await until(() => !bans.problems().join().includes('not stored'));
  const after = await ban(bans, '198.51.100.2');
  assert.ok(after.ok && after.isDurable);
  await bans.close();
  const again = await scratchBans(test, { dataDir });
  assert.equal(again.bans.count(), 502);
  await again.bans.close();
}
