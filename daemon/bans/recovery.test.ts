import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import type { BanOutcome, Bans } from './ban.ts';
import { setAside } from './damaged.ts';
import { BanFile } from './file.ts';
import { recoveredRows } from './recovery.ts';
import { toRow } from './row.ts';
import { sampleRecord } from './samples.ts';
import { StoreFiles } from './store-files.ts';
import { dataFolder, scratchBans } from './testing/scratch.ts';

const ban = (bans: Bans, ip: string): Promise<BanOutcome> => bans.add({ ip, reason: 'by hand', origin: 'api' });

const pageBytes = 4096;
const frameHeaderBytes = 24;
const many = 2000;
const addressOf = (host: number) => `198.51.${host >> 8}.${host & 255}`;

/** Overwrites pages from an offset on with noise. */
const noise = (bytes: Buffer, at: number, pages = 1) => {
  const other = Buffer.from(bytes);
  randomBytes(pages * pageBytes).copy(other, at);
  return other;
};

describe('damaged ban store', () => {
  /** The damage, and the smallest number of bans that must remain after the start. */
  const damages: Record<string, { damage: (bytes: Buffer) => Buffer; kept: number }> = {
    'not a database': { damage: () => Buffer.from('# a text file of an operator\n'.repeat(300)), kept: 0 },
    'noise after the first page': {
      damage: (bytes) => noise(bytes, pageBytes, bytes.length / pageBytes - 1),
      kept: 0,
    },
    'the first page lost': { damage: (bytes) => noise(bytes, 0), kept: many },
    'the root of the tree lost': { damage: (bytes) => noise(bytes, pageBytes), kept: many - 100 },
    'a page in the middle lost': { damage: (bytes) => noise(bytes, 10 * pageBytes), kept: many - 100 },
    'three pages cut off': { damage: (bytes) => bytes.subarray(0, bytes.length - 3 * pageBytes), kept: many - 300 },
    'half of a page cut off': { damage: (bytes) => bytes.subarray(0, bytes.length - 2048), kept: many - 100 },
  };
  for (const [name, { damage, kept }] of Object.entries(damages))
    it(`recovers readable rows of a damaged store: ${name}`, async (test) => {
      const dataDir = dataFolder();
      const first = await scratchBans(test, { dataDir });
      await Promise.all(Array.from({ length: many }, (_, host) => ban(first.bans, addressOf(host))));
      await first.bans.close();
      const path = join(dataDir, 'bans.sqlite');
      writeFileSync(path, damage(readFileSync(path)));

      const second = await scratchBans(test, { dataDir });
      const said =
        /the ban store was replaced .*; (\d+) rows were recovered from it; the old store is kept as bans\.sqlite\.damaged-\d{8}T/;
      assert.equal(Number(said.exec(second.bans.problems().join())?.[1]), second.bans.count());
      assert.ok(second.bans.count() >= kept, `${second.bans.count()} of ${kept}`);
      assert.ok(readdirSync(dataDir).some((file) => file.startsWith('bans.sqlite.damaged-')));
      const outcome = await ban(second.bans, '203.0.113.1');
      assert.ok(outcome.ok && outcome.isDurable);
      const count = second.bans.count();
      await second.bans.close();

      const third = await scratchBans(test, { dataDir });
      assert.deepEqual(third.bans.problems(), []);
      assert.equal(third.bans.count(), count);
    });
});

describe('a kill during the recovery of a damaged ban store', () => {
  const path = (dataDir: string) => join(dataDir, 'bans.sqlite');
  const asides = (dataDir: string, kind: string) =>
    readdirSync(dataDir).filter((name) => name.startsWith(`bans.sqlite.${kind}-`));

  /**
   * A folder after a kill during the recovery: the damaged store was renamed, a part of its database is lost, and its
   * log is intact.
   */
  async function interrupted(test: TestContext): Promise<string> {
    const [running, dataDir] = [dataFolder(), dataFolder()];
    const { bans } = await scratchBans(test, { dataDir: running });
    await Promise.all(Array.from({ length: many }, (_, host) => ban(bans, addressOf(host))));
    writeFileSync(path(dataDir), noise(readFileSync(path(running)), 0));
    copyFileSync(`${path(running)}-wal`, `${path(dataDir)}-wal`);
    setAside(path(dataDir), 0);
    return dataDir;
  }

  /** Checks that a start restores every ban, and renames the damaged store so that it is not read again. */
  async function assertRecovered(test: TestContext, dataDir: string): Promise<void> {
    const { bans } = await scratchBans(test, { dataDir });
    assert.equal(bans.count(), many);
    assert.match(
      bans.problems().join(),
      /the recovery of a damaged store was interrupted; \d+ rows were recovered from it; the old store is kept as bans\.sqlite\.damaged-19700101T/,
    );
    await bans.close();
    assert.deepEqual([asides(dataDir, 'recovering'), asides(dataDir, 'damaged').length > 0], [[], true]);
    const next = await scratchBans(test, { dataDir });
    assert.deepEqual([next.bans.count(), next.bans.problems()], [many, []]);
  }

  it('loses no ban before there is a new store', async (test) => {
    await assertRecovered(test, await interrupted(test));
  });

  it('loses no ban between the two renames', async (test) => {
    const dataDir = await interrupted(test);
    const [aside = ''] = asides(dataDir, 'recovering');
    renameSync(`${join(dataDir, aside)}-wal`, `${path(dataDir)}-wal`);
    await assertRecovered(test, dataDir);
  });

  it('loses no ban while the new store has some of them', async (test) => {
    const dataDir = await interrupted(test);
    const file = new BanFile(path(dataDir), new StoreFiles(path(dataDir)));
    file.apply([toRow(sampleRecord(addressOf(0), 2_000_000))]);
    file.close();
    await assertRecovered(test, dataDir);
  });

  it('loses no ban when the new store is damaged too', async (test) => {
    const dataDir = await interrupted(test);
    writeFileSync(path(dataDir), 'not a database');
    const { bans } = await scratchBans(test, { dataDir });
    assert.equal(bans.count(), many);
    await bans.close();
    assert.deepEqual([asides(dataDir, 'recovering'), asides(dataDir, 'damaged').length > 1], [[], true]);
  });
});

describe('recovery of a ban store', () => {
  it('recovers bans that are only in the log of a killed daemon, and no lifted ban', async (test) => {
    const [dataDir, copy] = [dataFolder(), dataFolder()];
    const { bans } = await scratchBans(test, { dataDir });
    for (let host = 0; host < many; host += 100)
      await Promise.all(Array.from({ length: 100 }, (_, index) => ban(bans, addressOf(host + index))));
    await Promise.all(Array.from({ length: many / 2 }, (_, half) => bans.remove(addressOf(half * 2))));
    for (const file of ['bans.sqlite', 'bans.sqlite-wal']) copyFileSync(join(dataDir, file), join(copy, file));
    const path = join(copy, 'bans.sqlite');
    const isThere = new Set(Array.from(recoveredRows(path), ([ip]) => ip));
    for (let host = 0; host < many; host += 1)
      assert.equal(isThere.has(addressOf(host)), host % 2 === 1, addressOf(host));
  });

  it('reads each page of a log once, whatever its number', async (test) => {
    const [dataDir, copy] = [dataFolder(), dataFolder()];
    const { bans } = await scratchBans(test, { dataDir });
    await ban(bans, addressOf(1));
    await ban(bans, addressOf(2));
    const path = join(copy, 'bans.sqlite');
    writeFileSync(path, readFileSync(join(dataDir, 'bans.sqlite')));
    const log = readFileSync(join(dataDir, 'bans.sqlite-wal'));
    log.writeUInt32BE(0xffff_ffff, log.length - pageBytes - frameHeaderBytes);
    writeFileSync(`${path}-wal`, log);
    assert.deepEqual(
      Array.from(recoveredRows(path), ([ip]) => ip),
      [addressOf(1), addressOf(2)],
    );
  });

  it('skips a row with a number that the daemon cannot have written', async (test) => {
    const dataDir = dataFolder();
    const first = await scratchBans(test, { dataDir });
    await ban(first.bans, '198.51.100.1');
    await ban(first.bans, '198.51.100.2');
    await first.bans.close();
    const database = new DatabaseSync(join(dataDir, 'bans.sqlite'));
    database.exec("UPDATE bans SET banned_at = 9223372036854775807 WHERE ip = '198.51.100.2'");
    database.close();
    const { bans } = await scratchBans(test, { dataDir });
    assert.match(bans.problems().join(), /1 rows were recovered from it/);
    assert.equal(bans.count(), 1);
  });
});
