import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { guardedService, temporaryFolder } from '../testing/daemon.ts';
import { type Spawned, send, spawnDaemon, withSocket } from '../testing/spawned.ts';
import { isCaught, isRunning, listenersOf, workersOf } from '../workers/testing/workers.ts';

/** A configuration with one service and an API on a socket. */
const fileIn = (folder: string, global: DaemonFile['global'] = {}): DaemonFile =>
  withSocket(folder, { global, services: { one: guardedService(9) } });

/** Starts a daemon that blocks until the test writes its configuration to a pipe. */
async function starting(t: TestContext) {
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  const child = spawnDaemon(t, path);
  const file = await open(path, 'w'); // resolves when the daemon opens the file
  const configure = async () => {
    await file.writeFile(JSON.stringify(fileIn(folder)));
    await file.close();
  };
  return { child, folder, path, configure };
}

test('SIGHUP during the start makes the daemon read its configuration again when it is ready', async (t) => {
  const { child, folder, path, configure } = await starting(t);
  for (let count = 0; count < 3; count++) child.kill('SIGHUP');
  rmSync(path);
  writeFileSync(path, JSON.stringify(fileIn(folder, { log_level: 'info' })));
  await configure();
  await until(() => child.said.includes('SIGHUP') || child.hasEnded);
  child.kill('SIGTERM');
  await until(() => child.hasEnded);
  assert.match(
    child.said,
    /^\S+Z info: ready; .*\n\S+Z info: reload requested by SIGHUP: changed global\.log_level\n$/,
  );
});

test('SIGUSR1 during the start opens no debugger', async (t) => {
  const { child, folder, configure } = await starting(t);
  child.kill('SIGUSR1');
  await configure();
  await until(() => child.said.includes('ready') || child.hasEnded);
  assert.match(child.said, /^\S+Z info: ready; /);
  assert.equal(listenersOf(child.pid).length, 1);
  assert.ok(existsSync(join(folder, 'audit.jsonl')));
});

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`${signal} during the start exits with 0 and leaves nothing behind`, async (t) => {
    const { child, folder, configure } = await starting(t);
    const closed = once(child, 'close');
    child.kill(signal);
    await configure();
    assert.deepEqual(await closed, [0, null]);
    assert.equal(child.said, '');
    assert.equal(existsSync(join(folder, 'api.sock')), false);
  });

/** Milliseconds between the start of the process and the signal. */
const moments = Array.from({ length: 7 }, (_, index) => index * 50);

/** Sends a signal after `ms`. Returns whether the program already ran: its first statement catches signals. */
async function signaled(child: Spawned, signal: NodeJS.Signals, ms: number): Promise<boolean> {
  await sleep(ms);
  const isOurs = isCaught(child.pid, 'SIGHUP');
  child.kill(signal);
  return isOurs;
}

for (const signal of ['SIGHUP', 'SIGUSR1'] as const)
  test(`${signal} at any moment of the start opens no debugger`, async (t) => {
    for (const ms of moments) {
      const folder = temporaryFolder();
      const config = join(folder, 'tcp-guard.yaml');
      writeFileSync(config, JSON.stringify(fileIn(folder, { workers: 2 })));
      const child = spawnDaemon(t, config);
      const isOurs = await signaled(child, signal, ms);
      await until(() => child.said.includes('ready') || child.hasEnded);
      if (!isOurs && child.signalCode === signal) continue;
      assert.match(child.said, /ready/, `${signal} after ${ms} ms`);
      const pids = [child.pid, ...workersOf(child.pid)];
      assert.deepEqual(
        pids.map((pid) => listenersOf(pid).length),
        [0, 1, 1],
        `${signal} after ${ms} ms: ${child.said}`,
      );
      child.kill('SIGKILL');
    }
  });

test('SIGTERM at any moment of the start leaves no socket and no worker, and keeps bans', async (t) => {
  const folder = temporaryFolder();
  const config = join(folder, 'tcp-guard.yaml');
  writeFileSync(config, JSON.stringify(fileIn(folder, { workers: 2 })));
  const first = spawnDaemon(t, config);
  await until(() => first.said.includes('ready'));
  await send(folder, 'POST', '/ban', JSON.stringify({ ip: '192.0.2.7' }));
  first.kill('SIGTERM');
  await once(first, 'close');
  for (const ms of moments) {
    const child = spawnDaemon(t, config);
    const closed = once(child, 'close');
    const isOurs = await signaled(child, 'SIGTERM', ms);
    const workers = workersOf(child.pid);
    const [status, killedBy] = await closed;
    assert.ok(
      status === 0 || (!isOurs && killedBy === 'SIGTERM'),
      `${status} ${killedBy} after ${ms} ms: ${child.said}`,
    );
    assert.equal(existsSync(join(folder, 'api.sock')), false);
    await until(() => !workers.some(isRunning));
  }
  const last = spawnDaemon(t, config);
  await until(() => last.said.includes('ready'));
  assert.match(await send(folder, 'GET', '/banlist'), /192\.0\.2\.7/);
});
