/** `tcp-guard bans flush` with a running daemon, without one, and where a daemon does not respond. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { scratchBans } from '../bans/testing/scratch.ts';
import { temporaryFolder } from '../testing/daemon.ts';
import { program, send, spawnDaemon, withSocket } from '../testing/spawned.ts';

const banned = ['192.0.2.7', '2001:db8::/48'];

/** A configuration whose folder has stored bans. */
async function stored(t: TestContext) {
  const folder = temporaryFolder();
  const { bans } = await scratchBans(t, { dataDir: folder, clock: Date.now() });
  for (const ip of banned) await bans.add({ ip, reason: 'test', origin: 'api', durationMs: null });
  const path = join(folder, 'tcp-guard.yaml');
  writeFileSync(path, JSON.stringify(withSocket(folder, { services: {} })));
  return { folder, path, bans };
}

function flush(path: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'bans', 'flush', '-c', path], {
    encoding: 'utf8',
  });
  return { status, text: `${stdout}${stderr}` };
}

async function storedNow(t: TestContext, folder: string): Promise<number> {
  const { bans } = await scratchBans(t, { dataDir: folder, clock: Date.now() });
  const count = bans.count();
  await bans.close();
  return count;
}

test('lifts the stored bans without a daemon, and leaves the files to their owner', async (t) => {
  const { folder, path, bans } = await stored(t);
  await bans.close();
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? 12_345 : (process.getuid?.() ?? 0);
  if (isRoot) for (const name of ['.', ...readdirSync(folder)]) chownSync(join(folder, name), owner, owner);
  const { status, text } = flush(path);
  assert.equal(status, 0, text);
  assert.match(text, /^lifted 2 bans, and found no (?:table in|nft that could have filled) the firewall\n$/);
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).uid, owner, name);
  assert.equal(await storedNow(t, folder), 0);
});

test('lifts the bans of a running daemon through its API', async (t) => {
  const { folder, path, bans } = await stored(t);
  await bans.close();
  const child = spawnDaemon(t, path);
  await until(() => child.said.includes('ready'));
  assert.equal(JSON.parse(await send(folder, 'GET', '/banlist')).bans.length, 2);
  assert.deepEqual(flush(path), { status: 0, text: 'the daemon has lifted 2 bans\n' });
  assert.equal(JSON.parse(await send(folder, 'GET', '/banlist')).bans.length, 0);
  child.kill('SIGTERM');
  await until(() => child.hasEnded);
  assert.equal(await storedNow(t, folder), 0);
});

test('refuses where another process uses the store and no API responds', async (t) => {
  const { path, bans } = await stored(t);
  const { status, text } = flush(path);
  assert.equal(status, 1);
  assert.match(text, /^tcp-guard: cannot lift the bans: cannot reach the API .* stop another tcp-guard that uses it/);
  assert.equal(bans.count(), 2);
});
