import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { decision, fakeLapi, streamReply } from '../feed/testing/fake-lapi.ts';
import { skip } from '../process/libc/testing/libc.ts';
import { bytesOf, echo, guardedService, received, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { healthOf, send, spawnDaemon, withSocket } from '../testing/spawned.ts';
import { isRunning, stop, workersOf } from './testing/workers.ts';

/** Enough connections that each worker almost certainly gets some. The system distributes them by source port. */
const many = 48;

/** Fewer connections than one worker may admit without the coordinator. */
const few = 16;

/** Starts a daemon with two workers in a separate process. */
async function run(t: TestContext, { global, ...more }: DaemonFile = {}) {
  const { port } = await startUpstream(t, echo);
  const folder = temporaryFolder();
  const config = join(folder, 'tcp-guard.yaml');
  writeFileSync(
    config,
    JSON.stringify(
      withSocket(folder, { ...more, global: { workers: 2, ...global }, services: { one: guardedService(port) } }),
    ),
  );
  const daemon = spawnDaemon(t, config);
  await until(() => daemon.said.includes('ready') || daemon.hasEnded);
  assert.match(daemon.said, /ready/);
  const listen = Number(/one on \S*:(\d+)/.exec(daemon.said)?.[1]);
  const dialMany = (localAddress = '127.0.0.1', length = many) =>
    Array.from({ length }, () => connect({ port: listen, host: '127.0.0.1', localAddress }).on('error', () => {}));
  const health = () => healthOf(folder);
  return {
    daemon,
    folder,
    dialMany,
    health,
    connections: async () => JSON.parse(await send(folder, 'GET', '/stats')).services.one.active_connections,
    /**
     * Resolves when the coordinator has logged that a worker ended. proc(5) shows the end too early: the worker still
     * has its listener, which the kernel then resets, and /health still reports ok.
     */
    ended: (how: RegExp) =>
      until(
        () => how.test(daemon.said),
        () => `${how} in ${daemon.said}`,
      ),
    isServed: () => until(async () => (await health()).status === 'ok', 'all workers to serve'),
    workers: () => workersOf(daemon.pid),
  };
}

async function isEchoed(socket: Socket): Promise<boolean> {
  if (socket.destroyed) return false;
  socket.write('x');
  return Promise.race([bytesOf(socket, 1).then(() => true), received(socket).then(() => false)]);
}

async function countEchoed(sockets: readonly Socket[]): Promise<number> {
  const echoed = await Promise.all(sockets.map(isEchoed));
  return echoed.filter(Boolean).length;
}

test('a hung worker degrades /health and is replaced, and new connections are served again', async (t) => {
  const { connections, ended, dialMany, health, isServed, workers } = await run(t);
  const sockets = dialMany();
  assert.equal(await countEchoed(sockets), many);
  await until(async () => (await connections()) === many, 'the workers to report their connections');
  const [hung = 0, other] = workers();
  stop(t, hung);
  let reasons = '';
  await until(async () => {
    const { status, reasons: all } = await health();
    reasons = `${status} ${all}`;
    return status !== 'ok';
  });
  assert.match(reasons, /^degraded worker \d: (?:no heartbeat for \d+ s|it ended)/);
  await ended(/worker \d ended \(killed: no heartbeat for \d+ s\) with [1-9]\d* connections/);
  const left = sockets.filter((socket) => !socket.destroyed);
  await isServed();
  assert.equal(await countEchoed(dialMany()), many);
  const served = await countEchoed(left);
  assert.ok(served > 0 && served < many, 'connections of the other worker continue');
  assert.equal(workers().length, 2);
  assert.ok(workers().includes(other as number));
});

test('a worker that hangs while it starts is replaced', async (t) => {
  const { ended, dialMany, isServed, workers } = await run(t);
  const [killed = 0, other] = workers();
  const isNew = (pid: number) => pid !== killed && pid !== other;
  process.kill(killed, 'SIGKILL');
  await until(() => workers().some(isNew));
  const [hung = 0] = workers().filter(isNew);
  stop(t, hung);
  await ended(/killed: no heartbeat/);
  await isServed();
  assert.equal(await countEchoed(dialMany()), many);
});

test('keeps the workers when all processes were stopped for longer than the heartbeat limit', async (t) => {
  const { daemon, dialMany, health, isServed, workers } = await run(t);
  const pids = workers();
  for (const pid of [...pids, daemon.pid]) stop(t, pid);
  const end = performance.now() + daemonBounds.workerHeartbeatMs.hung + daemonBounds.workerHeartbeatMs.late;
  await until(() => performance.now() > end);
  process.kill(daemon.pid, 'SIGCONT');
  await health(); // the coordinator runs, and all workers are stopped
  for (const pid of pids) process.kill(pid, 'SIGCONT');
  await isServed();
  assert.equal(await countEchoed(dialMany()), many);
  assert.deepEqual(workers(), pids);
});

test('a stopped worker ends when the coordinator is killed', { skip }, async (t) => {
  const { daemon, workers } = await run(t, { global: { data_plane: 'linux' } });
  const pids = workers();
  stop(t, pids[0] as number);
  daemon.kill('SIGKILL');
  await until(() => !pids.some(isRunning), 'the workers to end');
});

test('workers refuse listed clients while the coordinator hangs, serve others, and count them', async (t) => {
  // Not 127.0.0.1, which is an address of this host.
  const [banned, inFeed, denied, other] = ['127.0.0.7', '127.0.0.8', '127.0.0.9', '127.0.0.10'];
  const lapi = await fakeLapi(t, streamReply([decision(inFeed)]));
  const { daemon, folder, ended, dialMany, isServed, health, workers } = await run(t, {
    global: { ip_filter: { deny: [denied] } },
    threatfeed: { enabled: true, lapi_url: lapi.url, api_key: 'k' },
  });
  assert.match(await send(folder, 'POST', '/ban', JSON.stringify({ ip: banned })), /"banned_at"/);
  await until(async () => (await health()).crowdsec?.decisions === 1);
  for (const pid of workers()) process.kill(pid, 'SIGKILL');
  await ended(/ended \(SIGKILL\)[\s\S]*ended \(SIGKILL\)/);
  await isServed(); // the replacements have the bans and decisions too
  stop(t, daemon.pid);
  const listed = [banned, inFeed, denied].flatMap((ip) => dialMany(ip));
  const refused = await Promise.all(listed.map((socket) => received(socket)));
  assert.equal(await countEchoed(dialMany(other, few)), few);
  process.kill(daemon.pid, 'SIGCONT');
  let counted = '';
  const isCounted = async () => {
    const { total_blocked, total_allowed } = JSON.parse(await send(folder, 'GET', '/stats')).services.one;
    counted = `${total_blocked} refused, ${total_allowed} served`;
    return counted === `${refused.length} refused, ${few} served`;
  };
  await until(isCounted, () => `${refused.length} and ${few} connections to be counted; so far ${counted}`);
  await send(folder, 'POST', '/unban', JSON.stringify({ ip: banned }));
  assert.equal(await countEchoed(dialMany(banned)), many);
});
