import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { testedReleases } from '../plane/choice.ts';
import { skip } from '../process/libc/testing/libc.ts';
import { bytesOf, echo, guardedService, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { healthOf, send, spawnDaemon, withSocket } from '../testing/spawned.ts';
import { workersOf } from '../workers/testing/workers.ts';

interface Settings {
  readonly workers?: number;
  readonly plane?: 'linux' | 'auto';
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a daemon with an echoing service. */
async function run(t: TestContext, { workers = 1, plane = 'linux', env = {} }: Settings) {
  const { port } = await startUpstream(t, echo);
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  const file = withSocket(folder, {
    global: { workers, data_plane: plane },
    services: { one: guardedService(port) },
  });
  writeFileSync(path, JSON.stringify(file));
  const daemon = spawnDaemon(t, path, env);
  await until(
    () => daemon.said.includes('ready') || daemon.hasEnded,
    () => `the daemon to start: ${daemon.said}`,
  );
  const isEchoed = async () => {
    const socket = connect({ host: '127.0.0.1', port: Number(/one on \S*:(\d+)/.exec(daemon.said)?.[1]) });
    socket.on('error', () => {}); // refused while no worker listens
    socket.write('x');
    const echoed = await Promise.race([
      bytesOf(socket, 1).then(() => true),
      once(socket, 'close').then(
        () => false,
        () => false,
      ),
    ]);
    socket.destroy();
    return echoed;
  };
  assert.ok(await isEchoed());
  const { data_plane } = await healthOf(folder);
  assert.deepEqual(JSON.parse(await send(folder, 'GET', '/stats')).data_plane, data_plane);
  return { daemon, folder, isEchoed, said: daemon.said, data_plane };
}

for (const workers of [1, 2])
  test(`relays through the Linux plane with ${workers} processes that relay, and says nothing about it`, {
    skip,
  }, async (t) => {
    const { said, data_plane } = await run(t, { workers });
    assert.deepEqual(data_plane, { name: 'linux', reason: 'configured' });
    assert.match(said, /^\S+Z info: ready; .*\n$/);
  });

test('relays through node:net where the Linux plane is not possible, and says why once', { skip }, async (t) => {
  const { said, data_plane } = await run(t, { workers: 2, env: { NODE_OPTIONS: '--no-experimental-ffi' } });
  const reason = `the Linux plane is not possible: Node ${process.version} has no node:ffi`;
  assert.deepEqual(data_plane, { name: 'net', reason });
  assert.equal(said.split('\n')[0]?.replace(/^\S+/, ''), ` warning: connections are relayed by node:net: ${reason}`);
  assert.equal(said.split('\n').length, 3, said);
});

test('auto relays in a worker: a crash in it ends no more than its connections, and moves it to node:net', {
  skip,
}, async (t) => {
  const { daemon, folder, isEchoed, data_plane } = await run(t, { plane: 'auto' });
  assert.equal(data_plane?.name, testedReleases.includes(process.versions.node) ? 'linux' : 'net');
  if (data_plane.name === 'net') return;
  const [worker] = workersOf(daemon.pid);
  process.kill(worker as number, 'SIGSEGV');
  await until(async () => (await healthOf(folder)).data_plane?.name === 'net', 'the crash to be recorded');
  await until(isEchoed);
  assert.equal(daemon.hasEnded, false);
  assert.notEqual(workersOf(daemon.pid)[0], worker);
  assert.match(
    JSON.stringify((await healthOf(folder)).reasons),
    /worker 1 crashed in the Linux data plane \(SIGSEGV\)/,
  );
});
