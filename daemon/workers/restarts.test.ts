/** Workers that end, and their replacements. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { echo, guardedService, received, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { countEchoed, dialMany, enoughConnections, startWorkers } from '../testing/workers.ts';
import { inTime, workersOf } from './testing/workers.ts';

test('a killed worker is restarted and reported, and the other one continues meanwhile', async (t) => {
  const { port } = await startUpstream(t, echo);
  const started = await startWorkers(t, { services: { one: guardedService(port) } });
  const { daemon } = started;
  const sockets = dialMany(started);
  assert.equal(await countEchoed(sockets), enoughConnections);
  await inTime(daemon.refreshCounts);
  const [killed = 0] = workersOf(process.pid);
  process.kill(killed, 'SIGKILL');
  const restarting = /^worker \d: it ended \(SIGKILL\) and is being restarted$/;
  await until(() => daemon.problems().some((problem) => restarting.test(problem)));
  await until(daemon.isServing); // a busy machine may have paused the other worker
  const left = daemon.stats().one?.active_connections ?? 0;
  assert.equal(await countEchoed(sockets), left, 'the slots of its connections are free again');
  assert.ok(left > 0 && left < enoughConnections);
  assert.equal(await countEchoed(dialMany(started)), enoughConnections);
  await until(() => daemon.problems().length === 0);
  assert.equal(workersOf(process.pid).length, 2);
  assert.equal(await countEchoed(dialMany(started)), enoughConnections);
});

test('a restarted worker has the policy in force, whatever its file contains meanwhile', async (t) => {
  const { port } = await startUpstream(t, echo);
  const folder = temporaryFolder();
  const policy = join(folder, 'guard.json');
  writeFileSync(policy, JSON.stringify({ blockPatterns: ['^/private'] }));
  const web = guardedService(port, { protocol: 'http', http: { policy: 'guard.json' } });
  const { daemon, dial } = await startWorkers(t, { services: { web } }, { folder });
  for (const text of ['{"blockPatterns": 7}', '{"blockPatterns": []}']) {
    writeFileSync(policy, text);
    for (const pid of workersOf(process.pid)) process.kill(pid, 'SIGKILL');
    await until(() => daemon.problems().length === 2);
    await until(
      () => daemon.problems().length === 0,
      () => daemon.problems().join(),
    );
    const socket = dial('web');
    socket.write('GET /private HTTP/1.1\r\nHost: example.org\r\n\r\n');
    assert.equal((await received(socket)).bytes.length, 0);
  }
});

test('a worker that the system refuses to start is restarted later, and the other one continues meanwhile', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { daemon } = await startWorkers(t, { services: { one: guardedService(port) } });
  const [killed = 0] = workersOf(process.pid);
  const { execPath } = process;
  t.after(() => Object.assign(process, { execPath }));
  process.execPath = `${import.meta.filename}/node`; // makes fork() throw, as it does without memory
  process.kill(killed, 'SIGKILL');
  const refused = /worker \d: it ended \(spawn ENOTDIR\) and is being restarted/;
  await until(() => refused.test(daemon.problems().join()));
  await until(daemon.isServing); // a busy machine may have paused the other worker
  Object.assign(process, { execPath });
  await until(() => daemon.problems().length === 0);
  assert.equal(workersOf(process.pid).length, 2);
});
