/**
 * Machine faults under the whole daemon. Connections are still relayed, /health reports the fault, and the daemon
 * recovers.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { echo, guardedService, received, type Started, start, startUpstream } from '../testing/daemon.ts';

/** A file system of one megabyte that is unmounted after the test. Undefined when mounting fails, as without root. */
function smallDisk(t: TestContext): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), 'tcp-guard-disk-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status === 0;
  t.after(() => {
    if (isMounted) spawnSync('umount', ['-l', disk]);
    rmdirSync(disk);
  });
  return isMounted ? disk : undefined;
}

async function isRelayed({ dial }: Started, localAddress = '127.0.0.1'): Promise<boolean> {
  const socket = dial('echo', { localAddress });
  const answer = received(socket);
  socket.end('x');
  return (await answer).bytes.toString() === 'x';
}

async function onDisk(t: TestContext, disk: string, more: object = {}) {
  const { port } = await startUpstream(t, echo);
  const global = { data_dir: disk, log_file: join(disk, 'audit.jsonl') };
  const api = { listen: '127.0.0.1:0' };
  const started = await start(t, { global, api, services: { echo: guardedService(port) }, ...more });
  const [address] = started.daemon.apiAddresses();
  const send = async (path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {};
    const response = await fetch(`http://${address}${path}`, request);
    return { status: response.status, body: await response.text() };
  };
  return { ...started, send };
}

type OnDisk = Awaited<ReturnType<typeof onDisk>>;

/** Checks that the daemon serves, enforces bans that it cannot write, and reports the fault. */
async function assertServesDespite(guard: OnDisk, fault: RegExp): Promise<void> {
  const banned = await guard.send('/ban', { ip: '127.0.0.9', duration: '1h' });
  assert.equal(banned.status, 507, banned.body);
  assert.equal(await isRelayed(guard, '127.0.0.9'), false);
  assert.ok(await isRelayed(guard));
  const health = await guard.send('/health');
  assert.equal(health.status, 200);
  assert.match(health.body, /"degraded"/);
  assert.match(health.body, fault);
}

/** Checks that the fault is over and that a new ban reaches the disk. Closes the daemon. */
async function assertRecovered(guard: OnDisk): Promise<void> {
  await until(async () => !(await guard.send('/health')).body.includes('degraded'));
  assert.equal((await guard.send('/ban', { ip: '127.0.0.10' })).status, 201);
  assert.ok(await isRelayed(guard));
  await guard.daemon.close(0);
}

test('a full disk stops no connection, and writing resumes when there is space', async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip('mounting a small file system needs root');
  const guard = await onDisk(t, disk);
  assert.ok(await isRelayed(guard));
  const fill = (name: string) => spawnSync('dd', ['if=/dev/zero', `of=${join(disk, name)}`, 'bs=4096']);
  fill('filler');
  for (let host = 1; !guard.daemon.problems().join().includes('not stored'); host += 1)
    await guard.daemon.bans.add({ ip: `10.0.${host >> 8}.${host & 255}`, reason: 'test', origin: 'api' });
  fill('remainder'); // fill the space that the store has released
  await assertServesDespite(guard, /bans are not stored: .*full/);
  for (const name of ['filler', 'remainder']) rmSync(join(disk, name));
  await assertRecovered(guard);
});

test('a read-only disk stops no connection, and writing resumes when it is writable', async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip('mounting a file system needs root');
  const mode = (name: string) => assert.equal(spawnSync('mount', ['-o', `remount,${name}`, disk]).status, 0);
  mode('ro');
  await assert.rejects(onDisk(t, disk), /cannot read the ban store .*: EROFS: .* set bans\.on_error to serve$/);
  const guard = await onDisk(t, disk, { bans: { on_error: 'serve' } });
  assert.ok(await isRelayed(guard));
  await assertServesDespite(guard, /bans are not stored: .*read-?only/i);
  mode('rw');
  await assertRecovered(guard);
  const again = await start(t, { global: { data_dir: disk } });
  assert.ok(again.daemon.bans.covering('127.0.0.9'));
});

test('slow clients do not delay others and are disconnected', async (t) => {
  const { port } = await startUpstream(t, echo);
  const slow = guardedService(port, { protocol: 'tls', timeouts: { first_byte: '2s' } });
  const guard = await start(t, { services: { echo: guardedService(port), slow } });
  const ends = Array.from({ length: 300 }, (_, index) => {
    const socket = guard.dial('slow', { localAddress: `127.0.1.${index % 250}` });
    const sending = setInterval(() => socket.write(Uint8Array.of(22)), 200);
    socket.on('close', () => clearInterval(sending));
    return received(socket);
  });
  const seen = () => {
    const { active_connections = 0, total_blocked = 0 } = guard.daemon.stats().slow ?? {};
    return active_connections + total_blocked;
  };
  await until(() => seen() >= 300);
  assert.ok(await isRelayed(guard));
  await Promise.all(ends);
  await until(() => guard.daemon.tables().connections?.entries === 0);
  assert.equal(guard.daemon.stats().slow?.total_blocked, 300);
});
