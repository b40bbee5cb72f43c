import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { BanBackup } from './backup.ts';
import { BanFile, isDamage, openImmutable, rowsOf } from './file.ts';
import { toRow } from './row.ts';
import { StoreFiles } from './store-files.ts';
import { sampleAddresses, sampleRecord } from './testing/samples.ts';
import { dataFolder } from './testing/scratch.ts';

const rowOf = (ip: string) => toRow(sampleRecord(ip, 2_000_000));

function storeOf(test: TestContext, count: number, folder = dataFolder()) {
  const path = join(folder, 'bans.sqlite');
  const open = () => new BanFile(path, new StoreFiles(path));
  const filled = open();
  filled.apply(Array.from(sampleAddresses(count), rowOf), true);
  filled.close(); // moves the rows from the log to the database
  const file = open();
  test.after(() => file.close());
  return { path, file, backup: new BanBackup(path, () => {}) };
}

function storedIn(path: string): Set<unknown> {
  using copy = openImmutable(path);
  return new Set(Array.from(rowsOf(copy), ([ip]) => ip));
}

describe('backup of bans', () => {
  it('has every change that was stored while it was made', async (test) => {
    const { path, file, backup } = storeOf(test, 20_000);
    await backup.startIfDue(file);
    let isMade = false;
    const made = backup.finish(undefined).then(() => {
      isMade = true;
    });
    const stored: string[] = [];
    for (let host = 0; !isMade && host < 1000; host += 1) {
      const ip = `10.0.${host >> 8}.${host & 255}`;
      file.apply([rowOf(ip)]);
      stored.push(ip);
      await setImmediate();
    }
    await made;
    assert.equal(backup.problem, undefined);
    const found = storedIn(`${path}.backup`);
    const [missing = ''] = stored.filter((ip) => !found.has(ip));
    assert.ok(
      missing === '' || stored.indexOf(missing) >= stored.length - 2,
      'only those of the last turn are missing',
    );
  });

  it('is not made again without a change', async (test) => {
    const { path, file, backup } = storeOf(test, 1);
    await backup.finish(file);
    rmSync(`${path}.backup`);
    await backup.finish(file);
    assert.equal(existsSync(`${path}.backup`), false);
    backup.noteChange();
    await backup.finish(file);
    assert.ok(existsSync(`${path}.backup`));
  });
});

describe('backup of bans: faults', () => {
  it('keeps the previous one when the store is damaged, and reports the damage', async (test) => {
    const { path, file, backup } = storeOf(test, 50_000); // more than the page cache
    await backup.finish(file);
    const previous = readFileSync(`${path}.backup`);
    const bytes = openSync(path, 'r+');
    for (let at = 4096 * 2; at < previous.length; at += 4096) writeSync(bytes, randomBytes(4096), 0, 4096, at);
    closeSync(bytes);
    backup.noteChange();
    await backup.finish(file);
    assert.notEqual(backup.problem, undefined);
    assert.throws(() => backup.checkSuspect(file), isDamage);
    assert.deepEqual(readFileSync(`${path}.backup`), previous);
  });

  it('replaces a pipe in its place, and reports a folder', async (test) => {
    const { path, file, backup } = storeOf(test, 1);
    for (const suffix of ['.backup', '.backup.new', '.backup.new-journal', '.lifts', '.lifts.new'])
      assert.equal(spawnSync('mkfifo', [path + suffix]).status, 0);
    await backup.finish(file);
    assert.deepEqual([backup.problem, storedIn(`${path}.backup`).size], [undefined, 1]);
    rmSync(`${path}.backup`);
    mkdirSync(`${path}.backup`);
    backup.noteChange();
    await backup.finish(file);
    assert.match(backup.problem ?? '', /^EISDIR/);
  });

  it('needs free space for twice its bytes, and works again when there is', async (test) => {
    const disk = join(dataFolder(), 'disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
    if (mounted.status !== 0) return test.skip('mounting a small file system needs root');
    test.after(() => spawnSync('umount', ['-l', disk]));
    const { file, backup } = storeOf(test, 1000, disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(850_000));
    await backup.finish(file);
    assert.match(backup.problem ?? '', /^the disk has less than \d+ free bytes$/);
    file.apply([rowOf('10.0.0.1')]);
    rmSync(join(disk, 'filler'));
    await backup.finish(file);
    assert.equal(backup.problem, undefined);
  });
});

describe('backup of bans: lifts', () => {
  it('is removed when there are too many lifts since', async (test) => {
    const { path, file, backup } = storeOf(test, 1);
    await backup.finish(file);
    backup.recordLifts(Array.from({ length: Math.ceil(daemonBounds.banLiftBytes / 20) }, () => '192.0.2.1'));
    assert.ok(existsSync(`${path}.backup`));
    backup.recordLifts(['192.0.2.2']);
    assert.equal(existsSync(`${path}.backup`), false);
    assert.equal(readFileSync(`${path}.lifts`, 'utf8'), '\n192.0.2.2\n');
    await backup.finish(file);
    assert.deepEqual([existsSync(`${path}.backup`), existsSync(`${path}.lifts`)], [true, false]);
  });

  it('keeps lifts that were recorded while it was made', async (test) => {
    const { path, file, backup } = storeOf(test, 1);
    const made = backup.startIfDue(file);
    backup.recordLifts(['192.0.2.1']);
    await made;
    assert.equal(backup.problem, undefined);
    assert.ok(existsSync(`${path}.backup`) && existsSync(`${path}.lifts`));
  });
});
