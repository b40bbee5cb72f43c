/** Starts with the store of an earlier run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { BanFile } from './file.ts';
import { createBans } from './index.ts';
import { toRow } from './row.ts';
import { StoreFiles } from './store-files.ts';
import { sampleRecord } from './testing/samples.ts';
import { configOf, dataFolder, scratchBans } from './testing/scratch.ts';

/** A folder whose store has a ban of each address until the given time. Ended bans are not remembered. */
function storedBans(ends: Readonly<Record<string, number>>): string {
  const dataDir = dataFolder();
  const path = join(dataDir, 'bans.sqlite');
  const file = new BanFile(path, new StoreFiles(path));
  const rows = Object.entries(ends).map(([ip, expiresAt]) => toRow(sampleRecord(ip, expiresAt)));
  file.apply(rows, true);
  file.close();
  return dataDir;
}

function storedAddresses(dataDir: string): unknown[] {
  const path = join(dataDir, 'bans.sqlite');
  const file = new BanFile(path, new StoreFiles(path));
  const ips = Array.from(file.rows(), ([ip]) => ip);
  file.close();
  return ips;
}

describe('bans: start', () => {
  it('forgets bans that end while the store is read', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const dataDir = storedBans({ '198.51.100.1': 1000, '198.51.100.2': 9000 });
    let isRead = false;
    const now = () => {
      if (!isRead) queueMicrotask(() => test.mock.timers.tick(1000)); // longer than the time between two sweeps
      isRead = true;
      return 2000;
    };
    const stallMs = { write: 60_000, load: 60_000 };
    const bans = await createBans({ config: configOf(), dataDir, now, stallMs });
    assert.deepEqual([bans.count(), bans.store()], [1, 'ok']);
    await bans.close();
    test.mock.timers.reset();
    assert.deepEqual(storedAddresses(dataDir), ['198.51.100.2']);
  });

  for (const [onError, expected] of [
    ['serve', ['the stored bans are not enforced, and bans are not stored: not a regular file']],
    ['refuse', []], // the error of the start has the reason
  ] as const)
    it(`reports a store that cannot be read where on_error is ${onError}`, async () => {
      const dataDir = dataFolder();
      assert.equal(spawnSync('mkfifo', [join(dataDir, 'bans.sqlite')]).status, 0);
      const faults: string[] = [];
      const config = configOf(`version: 1\nbans: {on_error: ${onError}}`);
      const starting = createBans({ config, dataDir, now: () => 2000, onFault: (fault) => faults.push(fault) });
      await starting.then((bans) => bans.close()).catch(() => undefined);
      assert.deepEqual(faults, expected);
    });

  it('lifts bans that the configuration exempts, as a reload does', async (test) => {
    const dataDir = storedBans({ '198.51.100.1': 9000, '203.0.113.1': 9000 });
    const yaml = 'version: 1\nglobal: {never_ban: [198.51.100.0/24]}';
    const { bans } = await scratchBans(test, { dataDir, yaml, clock: 2000 });
    assert.deepEqual([bans.count(), bans.problems()], [1, []]);
    await bans.close();
    assert.deepEqual(storedAddresses(dataDir), ['203.0.113.1']);
  });
});
