import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { readPrefix } from '../address/prefix.ts';
import { decision, fakeLapi, streamReply } from '../feed/testing/fake-lapi.ts';
import { openLibc } from '../process/libc/open.ts';
import { startChangeable } from '../testing/changeable.ts';
import {
  bytesOf,
  echo,
  guardedService,
  type Started,
  start,
  startUpstream,
  temporaryFolder,
} from '../testing/daemon.ts';
import { client, isServed, refusalOf, skip, timeout, withKernel } from '../testing/kernel-bans.ts';
import { healthOf, send, spawnDaemon, withSocket } from '../testing/spawned.ts';
import { createKernelBans } from './index.ts';

const sumOf = ({ events }: Started): number =>
  events.filter(({ action }) => action === 'blocked').reduce((sum, { count = 1 }) => sum + count, 0);

for (const workers of [1, 2])
  test(`${workers} workers: a banned address cannot connect until its ban ends, and its attempts are counted`, {
    timeout,
    skip,
  }, async (t) => {
    const { port } = await startUpstream(t, echo);
    const started = await start(t, withKernel({ services: { one: guardedService(port) } }, workers));
    const { daemon } = started;
    await until(() => daemon.kernelBans().mechanism === 'bpf');
    assert.ok(await isServed(started, client));
    await daemon.bans.add({ ip: client, reason: 'test', origin: 'api' });
    await until(() => daemon.kernelBans().entries === 1);
    assert.equal(await refusalOf(started, client), 'ban');
    await until(() => daemon.stats().one?.total_blocked === sumOf(started));
    assert.ok(await isServed(started, '127.0.0.8'));
    await daemon.bans.remove(client);
    assert.ok(await isServed(started, client));
    await until(() => daemon.kernelBans().entries === 0);
  });

test(`enforces networks and the lists of a service, and passes exempt addresses and trusted proxies`, {
  timeout,
  skip,
}, async (t) => {
  const { port } = await startUpstream(t, echo);
  const services = {
    one: guardedService(port, {
      ip_filter: { deny: ['127.6.0.0/16'] },
      proxy_protocol: { accept_from: ['127.5.0.8'] },
    }),
    two: guardedService(port),
    tarpit: guardedService(port, { response: { mode: 'tarpit' } }),
  };
  const started = await start(t, withKernel({ global: { never_ban: ['127.5.0.9'] }, services }));
  const { daemon, dial } = started;
  await daemon.bans.add({ ip: '127.7.0.0/16', reason: 'test', origin: 'api' });
  assert.equal(await refusalOf(started, '127.7.1.1'), 'ban');
  assert.equal(await refusalOf(started, '127.6.0.1'), 'ip_filter');
  assert.ok(await isServed(started, '127.6.0.1', 'two'));
  assert.deepEqual(daemon.kernelBans().exceptions, ['tarpit: it holds refused connections in a tarpit']);
  for (const ip of ['127.0.0.0/24', '127.5.0.0/24']) await daemon.bans.add({ ip, reason: 'test', origin: 'api' });
  const exempt = ['127.0.0.1', '127.5.0.9']; // the first one is an address of this host
  assert.equal(await refusalOf(started, '127.0.0.2'), 'ban');
  assert.equal(await refusalOf(started, '127.5.0.7'), 'ban');
  for (const ip of exempt) assert.ok(await isServed(started, ip), ip);
  await daemon.bans.add({ ip: '127.5.0.8', reason: 'test', origin: 'api' });
  const proxied = dial('one', { localAddress: '127.5.0.8' });
  proxied.write('PROXY TCP4 192.0.2.9 192.0.2.1 4000 22\r\nx');
  assert.equal((await bytesOf(proxied, 1)).toString(), 'x');
  assert.equal(await refusalOf(started, '127.5.0.8', 'two'), 'ban');
});

test(`a reload changes the lists of listeners that stay`, { timeout, skip }, async (t) => {
  const { port } = await startUpstream(t, echo);
  const deny = (...networks: string[]) =>
    withKernel({ services: { one: guardedService(port, { ip_filter: { deny: networks } }) } });
  const started = await startChangeable(t, deny('127.6.0.1'));
  assert.equal(await refusalOf(started, '127.6.0.1'), 'ip_filter');
  started.write(deny('127.6.0.2'));
  assert.ok((await started.daemon.reload('a test')).ok);
  assert.equal(await refusalOf(started, '127.6.0.2'), 'ip_filter');
  assert.ok(await isServed(started, '127.6.0.1'));
});

test('connections of more addresses than are counted separately add up', { timeout, skip }, async (t) => {
  const { port } = await startUpstream(t, echo);
  const started = await start(t, withKernel({ services: { one: guardedService(port) } }));
  const { daemon, dial, event } = started;
  await daemon.bans.add({ ip: '127.7.0.0/16', reason: 'test', origin: 'api' });
  const count = daemonBounds.kernelBanCounts + 100;
  const sockets = Array.from({ length: count }, (_, index) =>
    dial('one', { localAddress: `127.7.${index >> 8}.${index & 255}` }),
  );
  assert.ok((await event(({ action, client_ip }) => action === 'blocked' && client_ip === '')).count);
  for (const socket of sockets) socket.destroy();
  await until(() => daemon.stats().one?.total_blocked === sumOf(started) && sumOf(started) >= count);
});

/** Bans in the kernel without a daemon. */
function alone(t: TestContext) {
  const none = () => {};
  const options = {
    mode: 'bpf',
    now: Date.now,
    record: none,
    account: none,
    fault: assert.fail,
    checkClock: none,
  } as const;
  const kernelBans = createKernelBans(options);
  t.after(() => kernelBans.close());
  return kernelBans;
}

test('addresses that the kernel has no room for are counted as left out', { timeout, skip }, (t) => {
  const { listed, state } = alone(t);
  const prefix = readPrefix(client);
  assert.ok(prefix);
  const { words } = prefix;
  const most = daemonBounds.kernelBanEntries;
  const list = (index: number, until: number) => {
    words[0] = 0x0a00_0000 + index;
    listed({ source: 'ban', prefix, until });
  };
  for (let index = 0; index < most + 2; index++) list(index, Number.POSITIVE_INFINITY);
  assert.deepEqual([state().entries, state().leftOut], [most, 2]);
  for (const index of [0, most]) list(index, 0);
  assert.deepEqual([state().entries, state().leftOut], [most - 1, 1]);
});

test('the kernel stops refusing an address when its ban ends, although nothing removes it', {
  timeout,
  skip,
}, async (t) => {
  const { port } = await startUpstream(t, echo);
  const stopped = Date.now();
  const config = withKernel({ services: { one: guardedService(port) } });
  const { daemon, dial, event } = await start(t, config, { now: () => stopped });
  await daemon.bans.add({ ip: client, reason: 'test', origin: 'api', durationMs: 200 });
  const socket = dial('one', { localAddress: client });
  const { reason } = await event(({ client_ip, client_port }) => client_ip === client && client_port > 0);
  assert.equal(reason, 'ban', 'the clock of the daemon has stopped');
  assert.equal(daemon.kernelBans().entries, 1);
  socket.destroy();
});

for (const workers of [1, 2])
  test(`${workers} workers: ends bans that are over when the clock is set forward`, {
    timeout,
    skip,
  }, async (t) => {
    const { port } = await startUpstream(t, echo);
    let set = 0;
    const config = withKernel({ services: { one: guardedService(port) } }, workers);
    const started = await start(t, config, { now: () => Date.now() + set });
    const { daemon, event } = started;
    await daemon.bans.add({ ip: client, reason: 'test', origin: 'api', durationMs: 3_600_000 });
    assert.equal(await refusalOf(started, client), 'ban');
    set = 7_200_000;
    await event(({ action }) => action === 'unbanned');
    await until(() => daemon.kernelBans().entries === 0);
    assert.ok(await isServed(started, client));
  });

test('decisions of the threat feed are enforced in the kernel, and exempt addresses pass', {
  timeout,
  skip,
}, async (t) => {
  const { port } = await startUpstream(t, echo);
  const lapi = await fakeLapi(t, streamReply([decision('127.5.0.0/16', { scope: 'Range' })]));
  const threatfeed = { enabled: true, lapi_url: lapi.url, api_key: 'k' };
  const global = { never_ban: ['127.5.0.9'] };
  for (const workers of [1, 2]) {
    const file = withKernel({ global, threatfeed, services: { one: guardedService(port) } }, workers);
    const started = await start(t, file);
    await until(() => started.daemon.kernelBans().entries === 1);
    assert.equal(await refusalOf(started, '127.5.1.1'), 'threatfeed');
    assert.ok(await isServed(started, '127.5.0.9'));
  }
});

/** Reads a file. Returns an empty text when it does not exist, such as for a descriptor that was closed meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The kernel's ids of the maps that a process has open. */
const mapsOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/fdinfo`).flatMap((fd) => {
    const [, id] = /^map_id:\s*(\d+)$/m.exec(textOf(`/proc/${pid}/fdinfo/${fd}`)) ?? [];
    return id === undefined ? [] : [Number(id)];
  });

/** Whether the kernel has a map. */
function exists(id: number): boolean {
  const opened = openLibc();
  assert.ok('libc' in opened);
  const attributes = opened.libc.allocate(12);
  attributes.words[0] = id;
  const result = opened.libc.bpf(14, attributes); // BPF_MAP_GET_FD_BY_ID
  if (result >= 0) opened.libc.close(result);
  return result >= 0;
}

test(`nothing is left of a daemon that was killed`, { timeout, skip }, async (t) => {
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  writeFileSync(path, JSON.stringify(withSocket(folder, withKernel({ services: { one: guardedService(9) } }))));
  const child = spawnDaemon(t, path);
  await until(() => child.said.includes('ready'));
  await send(folder, 'POST', '/ban', JSON.stringify({ ip: client }));
  const maps = mapsOf(child.pid);
  assert.ok(maps.length > 0 && maps.every(exists));
  child.kill('SIGKILL');
  await until(() => child.hasEnded);
  await until(() => !maps.some(exists));
});

test('a mechanism that is configured and missing is a problem', {
  timeout,
  skip: process.getuid?.() !== 0 && 'only root drops capabilities, so this machine cannot refuse in the kernel',
}, async (t) => {
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  for (const kernel of ['auto', 'bpf'] as const) {
    const file = { bans: { kernel }, services: { one: guardedService(9) } };
    writeFileSync(path, JSON.stringify(withSocket(folder, file)));
    const child = spawnDaemon(t, path, {}, ['setpriv', '--inh-caps=-all', '--bounding-set=-all']);
    await until(() => child.said.includes('ready') || child.hasEnded);
    const { kernel_bans } = JSON.parse(await send(folder, 'GET', '/stats'));
    assert.deepEqual([kernel_bans.mechanism, kernel_bans.reason], ['user_space', 'the process has no CAP_BPF']);
    const { status, reasons = [] } = await healthOf(folder);
    assert.equal(status, kernel === 'auto' ? 'ok' : 'degraded');
    assert.equal(reasons.join().includes(`bans.kernel is ${kernel}`), kernel !== 'auto');
    child.kill('SIGKILL');
    await until(() => child.hasEnded);
  }
});

test('says why user space refuses', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { daemon } = await start(t, { bans: { kernel: 'off' }, services: { one: guardedService(port) } });
  assert.deepEqual(daemon.kernelBans(), {
    mechanism: 'user_space',
    reason: 'bans.kernel is off',
    entries: 0,
    leftOut: 0,
    exceptions: [],
  });
});

const hosts = ['127.0.0.1', '0.0.0.0', '[::]', '', 'localhost'];

test(`refuses clients of listeners on every address, and on one`, {
  timeout,
  skip,
}, async (t) => {
  const { port } = await startUpstream(t, echo);
  const service = (host: string) =>
    guardedService(port, { listen: `${host}:0`, ip_filter: { deny: ['127.6.0.0/16'] } });
  const services = Object.fromEntries(hosts.map((host, index) => [`on-${index}`, service(host)]));
  const started = await start(t, withKernel({ services }));
  const reasons = hosts.map((_, index) => refusalOf(started, `127.6.0.${index}`, `on-${index}`));
  assert.deepEqual(new Set(await Promise.all(reasons)), new Set(['ip_filter']));
});

test(`counts for the service whose address was dialed, where two share a port`, {
  timeout,
  skip,
}, async (t) => {
  const { port: to } = await startUpstream(t, echo);
  const port = await freePort();
  const at = (host: string) => guardedService(to, { listen: `${host}:${port}`, ip_filter: { deny: ['127.6.0.0/16'] } });
  const started = await start(t, withKernel({ services: { one: at('127.1.0.1'), two: at('127.1.0.2') } }));
  const dialed = (host: string): Started => ({
    ...started,
    dial: (name, options) => started.dial(name, { host, ...options }),
  });
  assert.equal(await refusalOf(dialed('127.1.0.1'), '127.6.0.1', 'one'), 'ip_filter');
  assert.equal(await refusalOf(dialed('127.1.0.2'), '127.6.0.2', 'two'), 'ip_filter');
  assert.deepEqual(
    new Set(started.events.map(({ service, client_ip }) => `${service} ${client_ip}`)),
    new Set(['one 127.6.0.1', 'two 127.6.0.2']),
  );
});
