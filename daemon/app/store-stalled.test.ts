/**
 * A disk that does not respond. A named pipe replaces SQLite's journal, so opening the journal blocks the thread of the
 * ban store.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { temporaryFolder } from '../testing/daemon.ts';
import { healthOf, spawnDaemon, withSocket } from '../testing/spawned.ts';
import { isCaught } from '../workers/testing/workers.ts';

function daemonOn(t: TestContext, on_error: 'serve' | 'refuse') {
  const folder = temporaryFolder();
  const store = join(folder, 'bans.sqlite');
  using database = new DatabaseSync(store);
  database.exec('CREATE TABLE other (id)'); // without a table, SQLite would not look for the journal
  assert.equal(spawnSync('mkfifo', [`${store}-journal`]).status, 0);
  const path = join(folder, 'tcp-guard.yaml');
  const file: DaemonFile = withSocket(folder, { services: {}, bans: { on_error } });
  writeFileSync(path, JSON.stringify(file));
  return { folder, child: spawnDaemon(t, path) };
}

async function ban(folder: string, ip: string) {
  const sent = request({
    socketPath: join(folder, 'api.sock'),
    method: 'POST',
    path: '/ban',
    headers: { 'content-type': 'application/json' },
    agent: false,
  }).end(JSON.stringify({ ip }));
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], body: await response.toArray() };
}

test('bans are enforced, reported as not stored, and the end is bounded', async (t) => {
  const { folder, child } = daemonOn(t, 'serve');
  await until(() => child.said.includes('ready') || child.hasEnded);
  const { status, retryAfter, body } = await ban(folder, '203.0.113.9');
  assert.deepEqual([status, retryAfter], [503, '10'], `${body}`);
  const health = await healthOf(folder);
  assert.deepEqual([health.status, health.bans], ['degraded', { enforced: 1, store: 'stalled' }]);
  assert.match(
    `${health.reasons}`,
    /the stored bans are not enforced, and bans are not stored: the disk has not responded/,
  );
  child.kill('SIGTERM');
  await until(() => child.hasEnded);
  assert.deepEqual([child.exitCode, child.signalCode], [null, 'SIGTERM']);
});

test('without bans.on_error the daemon does not start, and says why', async (t) => {
  const { child } = daemonOn(t, 'refuse');
  await until(() => child.hasEnded);
  assert.match(child.said, /cannot read the ban store .*: the disk has not responded for 10 s/);
  assert.deepEqual([child.exitCode, child.signalCode], [null, 'SIGKILL']);
});

test('a second SIGTERM ends a start that waits for the disk', async (t) => {
  const { child } = daemonOn(t, 'serve');
  await until(() => isCaught(child.pid, 'SIGTERM'));
  while (!child.hasEnded) {
    child.kill('SIGTERM');
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(child.signalCode, 'SIGTERM');
});
