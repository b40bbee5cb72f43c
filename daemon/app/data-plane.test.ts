import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { skip } from '../process/libc/testing/libc.ts';
import { bytesOf, echo, guardedService, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { healthOf, send, spawnDaemon, withSocket } from '../testing/spawned.ts';

/** Runs a daemon with `data_plane: linux` and an echoing service. */
async function run(t: TestContext, workers: number, env: NodeJS.ProcessEnv = {}) {
  const { port } = await startUpstream(t, echo);
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  const file = withSocket(folder, {
    global: { workers, data_plane: 'linux' },
    services: { one: guardedService(port) },
  });
  writeFileSync(path, JSON.stringify(file));
  const daemon = spawnDaemon(t, path, env);
  await until(
    () => daemon.said.includes('ready') || daemon.hasEnded,
    () => `the daemon to start: ${daemon.said}`,
  );
  const socket = connect({ host: '127.0.0.1', port: Number(/one on \S*:(\d+)/.exec(daemon.said)?.[1]) });
  socket.write('x');
  assert.equal((await bytesOf(socket, 1)).toString(), 'x');
  socket.destroy();
  const { data_plane } = await healthOf(folder);
  assert.deepEqual(JSON.parse(await send(folder, 'GET', '/stats')).data_plane, data_plane);
  return { said: daemon.said, data_plane };
}

for (const workers of [1, 2])
  test(`relays through the Linux plane with ${workers} processes that relay, and says nothing about it`, {
    skip,
  }, async (t) => {
    const { said, data_plane } = await run(t, workers);
    assert.deepEqual(data_plane, { name: 'linux', reason: 'configured' });
    assert.match(said, /^\S+Z info: ready; .*\n$/);
  });

test('relays through node:net where the Linux plane is not possible, and says why once', { skip }, async (t) => {
  const { said, data_plane } = await run(t, 2, { NODE_OPTIONS: '--no-experimental-ffi' });
  const reason = `the Linux plane is not possible: Node ${process.version} has no node:ffi`;
  assert.deepEqual(data_plane, { name: 'net', reason });
  assert.equal(said.split('\n')[0]?.replace(/^\S+/, ''), ` warning: connections are relayed by node:net: ${reason}`);
  assert.equal(said.split('\n').length, 3, said);
});
