import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { skip } from '../process/libc/testing/libc.ts';
import { bytesOf, echo, guardedService, received, start, startUpstream } from '../testing/daemon.ts';
import { workersOf } from './testing/workers.ts';

test('a worker that crashes in the Linux plane is followed by one on node:net, and after a second crash all are', {
  skip,
}, async (t) => {
  const { port } = await startUpstream(t, echo);
  const workers = 3;
  const file = { global: { workers, data_plane: 'linux' }, services: { one: guardedService(port) } } as const;
  const { daemon, dial, auditLines } = await start(t, file);
  const said = () => auditLines().map(({ message }) => String(message));
  const ends = () => said().filter((message) => /^worker \d ended \(/.test(message)).length;
  const crash = async (signal: NodeJS.Signals) => {
    const before = ends();
    process.kill(workersOf(process.pid)[0] as number, signal);
    await until(() => ends() > before && daemon.tables().workers?.entries === workers, 'all workers to serve again');
  };
  const isEchoed = async () => {
    const socket = dial('one');
    socket.write('x');
    const echoed = await Promise.race([bytesOf(socket, 1).then(() => true), received(socket).then(() => false)]);
    socket.destroy();
    return echoed;
  };

  assert.deepEqual(daemon.dataPlane(), { name: 'linux', reason: 'configured' });
  await crash('SIGSEGV');
  const first = /^worker \d crashed in the Linux data plane \(SIGSEGV\) and runs on node:net until tcp-guard restarts$/;
  assert.equal(daemon.problems().filter((problem) => first.test(problem)).length, 1);
  assert.equal(daemon.dataPlane().name, 'linux');
  await until(isEchoed);

  // The first worker of the list may already run on node:net. Its crash does not count as one of the Linux plane.
  while (daemon.dataPlane().name === 'linux') await crash('SIGBUS');
  const second =
    /^worker \d crashed in the Linux data plane \(SIGBUS\), the second crash within an hour: all workers run on node:net/;
  assert.match(daemon.dataPlane().reason, second);
  await until(isEchoed);
  for (const pattern of [first, second]) assert.ok(said().some((message) => pattern.test(message)));
});
