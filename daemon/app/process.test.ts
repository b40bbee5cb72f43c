import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { json, text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import {
  bytesOf,
  echo,
  guardedService,
  received,
  startUpstream,
  temporaryFolder,
  testFile,
} from '../testing/daemon.ts';
import { isRunning, withFewDescriptors, workersOf } from '../workers/testing/workers.ts';

const suffix = extname(import.meta.filename);
const program = join(import.meta.dirname, `start${suffix}`);

interface Run {
  readonly child: ChildProcess;
  /** Resolves with the next matching line on standard error. */
  readonly says: (wanted: RegExp) => Promise<string>;
  readonly port: (service: string) => number;
  readonly write: (file: DaemonFile | string) => void;
  readonly path: string;
  readonly folder: string;
}

/** Starts a daemon in a separate process and waits until it is ready. */
async function run(t: TestContext, file: DaemonFile): Promise<Run> {
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  const write = (next: DaemonFile | string) =>
    writeFileSync(path, typeof next === 'string' ? next : JSON.stringify(testFile(folder, next)));
  write(file);
  const child = spawn(process.execPath, [program, '-c', path], { stdio: ['ignore', 'inherit', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const says = async (wanted: RegExp) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the daemon ended without printing ${wanted}`);
      if (wanted.test(value)) return value as string;
    }
  };
  const ready = await says(/ready/);
  const port = (service: string) => Number(new RegExp(`${service} on \\S*:(\\d+)`).exec(ready)?.[1]);
  return { child, says, port, write, path, folder };
}

const dial = (port: number) => connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});

test('on SIGTERM the daemon drains connections, accepts none, and exits with 0', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { child, port: portOf } = await run(t, { services: { one: guardedService(port) } });
  const socket = dial(portOf('one'));
  socket.write('x');
  await bytesOf(socket, 1);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  let isRefused = false;
  while (!isRefused) {
    const late = dial(portOf('one'));
    isRefused = await new Promise((resolve) =>
      late.on('connect', () => resolve(false)).on('close', () => resolve(true)),
    );
    late.destroy();
  }
  const answer = received(socket);
  socket.end('last words');
  assert.equal((await answer).bytes.toString(), 'last words');
  assert.deepEqual(await exited, [0, null]);
});

test('on SIGTERM to all processes the workers drain connections, and no process remains', async (t) => {
  const { port } = await startUpstream(t, echo);
  const {
    child,
    says,
    port: portOf,
  } = await run(t, { global: { workers: 2 }, services: { one: guardedService(port) } });
  const pids = workersOf(child.pid as number);
  assert.equal(pids.length, 2);
  const sockets = Array.from({ length: 16 }, () => dial(portOf('one')));
  for (const socket of sockets) socket.write('x');
  await Promise.all(sockets.map((socket) => bytesOf(socket, 1)));
  for (const pid of pids) for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGINT', 'SIGTERM']) process.kill(pid, signal);
  child.kill('SIGHUP');
  await says(/reload requested by SIGHUP/);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const answers = sockets.map(received);
  for (const socket of sockets) socket.end('last words');
  for (const { bytes } of await Promise.all(answers)) assert.equal(bytes.toString(), 'last words');
  assert.deepEqual(await exited, [0, null]);
  assert.deepEqual(pids.filter(isRunning), []);
});

test('workers exit when the coordinator is killed', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { child } = await run(t, { global: { workers: 2 }, services: { one: guardedService(port) } });
  const pids = workersOf(child.pid as number);
  assert.deepEqual(pids.filter(isRunning), pids);
  child.kill('SIGKILL');
  await until(() => !pids.some(isRunning));
});

test('SIGHUP reloads, a bad file is reported and changes nothing, and SIGHUP and SIGUSR1 reopen the log', async (t) => {
  const { port } = await startUpstream(t, echo);
  const services = { one: guardedService(port) };
  const { child, says, port: portOf, write, folder } = await run(t, { services });
  const socket = dial(portOf('one'));
  socket.write('x');
  await bytesOf(socket, 1);
  write('services: {one: 1}\nglobals: 1\n');
  child.kill('SIGHUP');
  await says(
    / error: reload requested by SIGHUP: the new configuration was refused and the previous one stays in force$/,
  );
  await says(/^ {2}\S+yaml:1:17: services\.one: /);
  await says(/^ {2}\S+yaml:2:1: globals: /);
  write({ global: { log_level: 'info' }, services });
  child.kill('SIGHUP');
  await says(/info: reload requested by SIGHUP: changed global\.log_level$/);
  const log = join(folder, 'audit.jsonl');
  for (const signal of ['SIGHUP', 'SIGUSR1'] as const) {
    renameSync(log, `${log}.1`);
    child.kill(signal);
    await until(() => existsSync(log));
  }
  socket.end();
  await received(socket);
  await until(() => readFileSync(log, 'utf8').includes('"allowed"'));
});

test('a reload refuses a pipe in place of the configuration, and the daemon serves', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { child, says, port: portOf, path } = await run(t, { services: { one: guardedService(port) } });
  rmSync(path);
  execFileSync('mkfifo', [path]);
  child.kill('SIGHUP');
  await says(/the new configuration was refused and the previous one stays in force$/);
  await says(/^ {2}not a regular file/);
  const socket = dial(portOf('one'));
  socket.end('x');
  assert.equal((await received(socket)).bytes.toString(), 'x');
});

async function tcpGuard(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status, out, err };
}

test('tcp-guard reload prints what changed, and exits with 1 when the daemon refuses or does not run', async (t) => {
  const { port } = await startUpstream(t, echo);
  const folder = temporaryFolder();
  const api = { listen: '', socket: join(folder, 'api.sock') };
  const { child, write, path } = await run(t, { api, services: { one: guardedService(port) } });
  write({ api, services: { one: guardedService(port), two: guardedService(port) } });
  assert.deepEqual(await tcpGuard('reload', '-c', path), { status: 0, out: 'changed: services.two\n', err: '' });
  write({ api, global: { geoip_db: '/nowhere' }, services: { one: guardedService(port) } });
  const refused = await tcpGuard('reload', '-c', path);
  assert.equal(refused.status, 1);
  assert.match(
    refused.err,
    /1 problem; the previous configuration stays in force\n\S+yaml:1:\d+: global\.geoip_db: .*ENOENT/,
  );
  write({ api, services: { one: guardedService(port), two: guardedService(port) } });
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  const absent = await tcpGuard('reload', '-c', path);
  assert.equal(absent.status, 1);
  assert.match(absent.err, /cannot reach the API of the daemon/);
});

test('the daemon continues when its standard error is closed', async (t) => {
  const { port } = await startUpstream(t, echo);
  const folder = temporaryFolder();
  const api = { listen: '', socket: join(folder, 'api.sock') };
  const services = { one: guardedService(port) };
  const { child, port: portOf, write, path } = await run(t, { api, services });
  child.stderr?.destroy();
  write({ api, global: { geoip_db: '/nowhere' }, services });
  assert.match((await tcpGuard('reload', '-c', path)).err, /ENOENT/);
  const socket = dial(portOf('one'));
  socket.end('x');
  assert.equal((await received(socket)).bytes.toString(), 'x');
});

test('a daemon without a descriptor for an upstream reports it, and serves again when it has one', async (t) => {
  const { port } = await startUpstream(t, echo);
  const api = { listen: '', socket: join(temporaryFolder(), 'api.sock') };
  const { child, port: portOf } = await run(t, { api, services: { one: guardedService(port) } });
  const echoed = async () => {
    const socket = dial(portOf('one'));
    const answer = received(socket);
    socket.end('x');
    return (await answer).bytes.toString() === 'x';
  };
  const reasons = async (): Promise<string> => {
    const [response] = await once(get({ socketPath: api.socket, path: '/health', agent: false }), 'response');
    return JSON.stringify(await json(response));
  };
  assert.ok(await echoed());
  for (let tries = 0; tries < 50 && !(await reasons()).includes('ran out'); tries += 1)
    await withFewDescriptors([child.pid as number], echoed);
  assert.match(await reasons(), /"degraded".*descriptors, ports or memory ran out/);
  assert.ok(await echoed());
});
