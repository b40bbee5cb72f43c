/** Starts with a damaged store: the last backup is loaded. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import type { BanRequest, Bans } from './ban.ts';
import { BanFile } from './file.ts';
import { toRow } from './row.ts';
import { StoreFiles, setAside } from './store-files.ts';
import { sampleRecord } from './testing/samples.ts';
import { dataFolder, scratchBans } from './testing/scratch.ts';

async function ban(bans: Bans, ip: string, more: Partial<BanRequest> = {}): Promise<void> {
  const outcome = await bans.add({ ip, reason: 'by hand', origin: 'api', ...more });
  assert.ok(outcome.ok && outcome.isDurable, ip);
}

const pageBytes = 4096;
const many = 2000;
const addressOf = (host: number) => `198.51.${host >> 8}.${host & 255}`;
const storeIn = (dataDir: string) => join(dataDir, 'bans.sqlite');
const damage = (path: string) => writeFileSync(path, randomBytes(2 * pageBytes));

/** Overwrites pages from an offset on with noise. */
function noise(bytes: Buffer, at: number, pages = 1): Buffer {
  randomBytes(pages * pageBytes).copy(bytes, at);
  return bytes;
}

/** The folder of a daemon that has ended. Its backup has every ban. */
async function endedDaemon(test: TestContext, count: number): Promise<string> {
  const dataDir = dataFolder();
  const { bans } = await scratchBans(test, { dataDir });
  await Promise.all(Array.from({ length: count }, (_, host) => ban(bans, addressOf(host))));
  await bans.close();
  return dataDir;
}

/** The files of a daemon that is killed now. */
function killed(dataDir: string): string {
  const copy = dataFolder();
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

/** Starts with a damaged store. Checks that the new store then has the same bans. */
async function startsWith(test: TestContext, dataDir: string, expected: { count: number; problem: RegExp }) {
  const { bans } = await scratchBans(test, { dataDir });
  assert.match(bans.problems().join(), expected.problem);
  assert.equal(bans.count(), expected.count);
  await ban(bans, '203.0.113.1');
  await bans.close();
  const next = await scratchBans(test, { dataDir });
  assert.deepEqual([next.bans.count(), next.bans.problems()], [expected.count + 1, []]);
  return next.bans;
}

const restoredFrom = (rows: number, old = String.raw`the old store is kept as bans\.sqlite\.damaged-\d{8}T\S+`) =>
  new RegExp(
    String.raw`^the ban store was replaced and rewritten: .*; ${rows} rows were restored from the backup of \d{4}-\S+Z; bans since then are lost; ${old}$`,
  );

describe('damaged ban store at a start', () => {
  const damages: Record<string, (bytes: Buffer) => Buffer> = {
    'not a database': () => Buffer.from('# a text file of an operator\n'.repeat(300)),
    'noise after the first page': (bytes) => noise(bytes, pageBytes, bytes.length / pageBytes - 1),
    'the first page lost': (bytes) => noise(bytes, 0),
    'a page in the middle lost': (bytes) => noise(bytes, 10 * pageBytes),
    'half of a page cut off': (bytes) => bytes.subarray(0, bytes.length - 2048),
  };
  for (const [name, lose] of Object.entries(damages))
    it(`loads the backup: ${name}`, async (test) => {
      const dataDir = await endedDaemon(test, many);
      writeFileSync(storeIn(dataDir), lose(readFileSync(storeIn(dataDir))));
      await startsWith(test, dataDir, { count: many, problem: restoredFrom(many) });
    });

  it('loses the bans since the backup, and restores no ban that was lifted since', async (test) => {
    const dataDir = await endedDaemon(test, 4);
    const { bans } = await scratchBans(test, { dataDir });
    await bans.remove(addressOf(0));
    await ban(bans, addressOf(1), { durationMs: 1000, replace: true });
    await bans.remove(addressOf(2));
    await ban(bans, addressOf(2));
    await ban(bans, addressOf(4));
    const copy = killed(dataDir);
    damage(storeIn(copy));
    const restored = await startsWith(test, copy, { count: 1, problem: restoredFrom(1) });
    assert.ok(restored.covering(addressOf(3)));
  });

  it('keeps lifts until a later backup has them', async (test) => {
    const dataDir = await endedDaemon(test, 2);
    const { bans } = await scratchBans(test, { dataDir });
    await bans.remove(addressOf(0));
    appendFileSync(`${storeIn(dataDir)}.lifts`, '198.51.0.'); // a line that a power failure has cut
    const cut = killed(dataDir);
    damage(storeIn(cut));
    await startsWith(test, cut, { count: 1, problem: restoredFrom(1) });
    const next = killed(dataDir);
    await (await scratchBans(test, { dataDir: next })).bans.close(); // makes a backup
    assert.equal(existsSync(`${storeIn(next)}.lifts`), false);
    damage(storeIn(next));
    await startsWith(test, next, { count: 1, problem: restoredFrom(1) });
  });

  it('skips a row with a number that the daemon cannot have written', async (test) => {
    const dataDir = await endedDaemon(test, 2);
    const database = new DatabaseSync(storeIn(dataDir));
    database.exec(`UPDATE bans SET banned_at = 9223372036854775807 WHERE ip = '${addressOf(0)}'`);
    database.close();
    const { bans } = await scratchBans(test, { dataDir });
    assert.deepEqual(bans.problems(), ['1 rows of the ban store could not be read and were skipped']);
    assert.equal(bans.count(), 1);
  });
});

describe('damaged ban store without a backup that can be used', () => {
  const losses: Record<string, { lose: (store: string) => void; problem: RegExp }> = {
    'it was removed': {
      lose: (store) => rmSync(`${store}.backup`),
      problem: /there is no backup, so its bans are lost/,
    },
    'it is a pipe': {
      lose: (store) => {
        rmSync(`${store}.backup`);
        assert.equal(spawnSync('mkfifo', [`${store}.backup`]).status, 0);
      },
      problem: /there is no backup/,
    },
    'it is damaged': {
      lose: (store) => damage(`${store}.backup`),
      problem: /its other bans are lost: file is not a database/,
    },
    'the lifts are damaged': {
      lose: (store) => writeFileSync(`${store}.lifts`, '198.51.0.1\n\0\0\0'),
      problem: /the list of lifted bans is damaged, so the backup was not loaded/,
    },
  };
  for (const [name, { lose, problem }] of Object.entries(losses))
    it(`starts without bans: ${name}`, async (test) => {
      const dataDir = await endedDaemon(test, 2);
      damage(storeIn(dataDir));
      lose(storeIn(dataDir));
      await startsWith(test, dataDir, { count: 0, problem });
      assert.ok(existsSync(`${storeIn(dataDir)}.backup`));
    });

  it('restores the rows before the damage of the backup', async (test) => {
    const dataDir = await endedDaemon(test, many);
    damage(storeIn(dataDir));
    const path = `${storeIn(dataDir)}.backup`;
    writeFileSync(path, noise(readFileSync(path), 20 * pageBytes));
    const { bans } = await scratchBans(test, { dataDir });
    assert.ok(bans.count() > 0 && bans.count() < many, `${bans.count()}`);
    assert.match(bans.problems().join(), /its other bans are lost: database disk image is malformed/);
  });
});

describe('a kill while a damaged ban store is replaced', () => {
  const kills: Record<string, (store: string) => void> = {
    'before the log is renamed': (store) => {
      writeFileSync(`${store}-wal`, readFileSync(store));
      renameSync(store, `${store}.damaged-19700101T000000.000Z`);
    },
    'before there is a new store': (store) => void setAside(store, 0),
    'while the new store has some bans': (store) => {
      setAside(store, 0);
      const file = new BanFile(store, new StoreFiles(store));
      file.apply([toRow(sampleRecord(addressOf(0), 2_000_000))]);
      file.close();
    },
  };
  for (const [name, kill] of Object.entries(kills))
    it(`loads the backup: ${name}`, async (test) => {
      const dataDir = await endedDaemon(test, many);
      kill(storeIn(dataDir));
      const kept = restoredFrom(many, String.raw`the old store is kept as bans\.sqlite\.damaged-19700101T000000\.000Z`);
      await startsWith(test, dataDir, { count: many, problem: kept });
    });

  it('loads the bans of a new store that is incomplete and has no backup', async (test) => {
    const dataDir = dataFolder();
    const file = new BanFile(storeIn(dataDir), new StoreFiles(storeIn(dataDir)));
    file.apply([toRow(sampleRecord(addressOf(0), 2_000_000))]);
    file.close();
    await startsWith(test, dataDir, { count: 1, problem: /it was missing or incomplete; there is no backup/ });
  });
});

it('ban store: makes the first backup at the start, and none of a store that it cannot read', async (test) => {
  const dataDir = dataFolder();
  const { bans } = await scratchBans(test, { dataDir });
  await until(() => existsSync(`${storeIn(dataDir)}.backup`));
  const made = readFileSync(`${storeIn(dataDir)}.backup`);
  const other = await scratchBans(test, { dataDir, yaml: '{ version: 1, bans: { on_error: serve } }' });
  await ban(bans, addressOf(0));
  await other.bans.close();
  assert.deepEqual(readFileSync(`${storeIn(dataDir)}.backup`), made);
  await until(() => readdirSync(dataDir).every((name) => !name.endsWith('.new')));
});
