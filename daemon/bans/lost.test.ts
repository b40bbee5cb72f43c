/** Removes files of the ban store while it is in use. No acknowledged ban is lost. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import type { Bans } from './ban.ts';
import { BanFile } from './file.ts';
import { toRow } from './row.ts';
import { StoreFiles } from './store-files.ts';
import { sampleRecord } from './testing/samples.ts';
import { dataFolder, scratchBans } from './testing/scratch.ts';

async function ban(bans: Bans, ip: string): Promise<string> {
  const outcome = await bans.add({ ip, reason: 'by hand', origin: 'api' });
  assert.ok(outcome.ok && outcome.isDurable, ip);
  return ip;
}

/** Checks that a daemon that is killed now loses none of these bans: starts another one with a copy of the files. */
async function assertStored(test: TestContext, dataDir: string, ips: readonly string[]): Promise<void> {
  const copy = dataFolder();
  cpSync(dataDir, copy, { recursive: true });
  const { bans } = await scratchBans(test, { dataDir: copy });
  assert.deepEqual(
    ips.filter((ip) => !bans.covering(ip)),
    [],
  );
  await bans.close();
}

function replace(path: string): void {
  rmSync(path);
  writeFileSync(path, 'another file');
}

const losses: Readonly<Record<string, (path: string) => void>> = {
  removed: (path) => rmSync(path),
  renamed: (path) => renameSync(path, `${path}.moved`),
  replaced: replace,
  emptied: (path) => truncateSync(path),
};

describe('ban store: removed files', () => {
  for (const name of ['bans.sqlite', 'bans.sqlite-wal'])
    for (const [loss, lose] of Object.entries(losses))
      it(`rewrites everything before it acknowledges, with ${name} ${loss}`, async (test) => {
        const dataDir = dataFolder();
        const { bans } = await scratchBans(test, { dataDir });
        const before = [await ban(bans, '198.51.100.1'), await ban(bans, '198.51.100.2')];
        lose(join(dataDir, name));
        await assertStored(test, dataDir, [...before, await ban(bans, '198.51.100.3')]);
        assert.match(bans.problems().join(), new RegExp(`${name} was removed or replaced`));
        await assertStored(test, dataDir, [...before, await ban(bans, '198.51.100.4')]);
      });

  it('rewrites everything before it acknowledges a ban that it has already', async (test) => {
    const dataDir = dataFolder();
    const { bans } = await scratchBans(test, { dataDir });
    const ip = await ban(bans, '198.51.100.1');
    rmSync(join(dataDir, 'bans.sqlite-wal'));
    const outcome = await bans.add({ ip, reason: 'again', origin: 'api', durationMs: 60_000 });
    assert.ok(outcome.ok && outcome.isDurable);
    await assertStored(test, dataDir, [ip]);
  });

  it('rewrites everything in a folder that was removed and created again', async (test) => {
    const dataDir = join(dataFolder(), 'data');
    const { bans } = await scratchBans(test, { dataDir });
    const before = await ban(bans, '198.51.100.1');
    rmSync(dataDir, { recursive: true });
    mkdirSync(dataDir);
    await assertStored(test, dataDir, [before, await ban(bans, '198.51.100.2')]);
    assert.match(bans.problems().join(), /no file of the old store is left/);
  });

  it('notices a file that is removed during a transaction', () => {
    const path = join(dataFolder(), 'bans.sqlite');
    const file = new BanFile(path, new StoreFiles(path));
    const row = toRow(sampleRecord('198.51.100.1', 1));
    file.apply([row]);
    const last = Object.defineProperty([row], 0, {
      get: () => {
        rmSync(`${path}-wal`);
        return row;
      },
    });
    assert.throws(() => file.apply(last), /bans.sqlite-wal was removed or replaced/);
    file.close();
  });

  it('ignores a file that it does not use', async (test) => {
    const dataDir = dataFolder();
    const { bans } = await scratchBans(test, { dataDir });
    const before = await ban(bans, '198.51.100.1');
    writeFileSync(join(dataDir, 'bans.sqlite-shm'), 'another file');
    await assertStored(test, dataDir, [before, await ban(bans, '198.51.100.2')]);
    assert.deepEqual(bans.problems(), []);
  });
});

describe('ban store: removed files without a later ban', () => {
  it('keeps every ban when it closes', async (test) => {
    const dataDir = dataFolder();
    const { bans } = await scratchBans(test, { dataDir });
    const before = await ban(bans, '198.51.100.1');
    for (const file of readdirSync(dataDir)) rmSync(join(dataDir, file));
    await bans.close();
    await assertStored(test, dataDir, [before]);
  });

  it('keeps every ban when a failure closed the store in between', async (test) => {
    const dataDir = join(dataFolder(), 'data');
    const { bans } = await scratchBans(test, { dataDir });
    const before = await ban(bans, '198.51.100.1');
    rmSync(dataDir, { recursive: true });
    writeFileSync(dataDir, 'in the way');
    const outcome = await bans.add({ ip: '198.51.100.2', reason: 'by hand', origin: 'api' });
    assert.ok(outcome.ok && !outcome.isDurable);
    rmSync(dataDir);
    await until(() => !bans.problems().join().includes('not stored'));
    await assertStored(test, dataDir, [before, '198.51.100.2']);
  });
});

it('ban store: does not name a damaged store that was removed', async (test) => {
  const dataDir = dataFolder();
  const { bans } = await scratchBans(test, { dataDir });
  await ban(bans, '198.51.100.1');
  truncateSync(join(dataDir, 'bans.sqlite-wal'));
  await ban(bans, '198.51.100.2');
  const named = /the old store is kept as (?<name>\S+)/.exec(bans.problems().join())?.groups?.name ?? '';
  assert.ok(readdirSync(dataDir).includes(named), named);
  for (const file of readdirSync(dataDir)) if (file.startsWith(named)) rmSync(join(dataDir, file));
  await ban(bans, '198.51.100.3');
  assert.match(bans.problems().join(), /the ban store was replaced .*; no file of the old store is left$/);
});
