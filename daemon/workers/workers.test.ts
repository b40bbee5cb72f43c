import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { freePort, freeRow } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { bytesOf, echo, guardedService, received, type Started, startUpstream } from '../testing/daemon.ts';
import { dialData, ftpClient, ftpServer } from '../testing/ftp.ts';
import { client, countEchoed, dialMany, enoughConnections, startWorkers } from '../testing/workers.ts';
import { inTime, socketsOf, withFewDescriptors, workersOf } from './testing/workers.ts';

test('all workers accept connections, and statistics cover all of them', async (t) => {
  const { port } = await startUpstream(t, echo);
  const started = await startWorkers(t, { services: { one: guardedService(port) } });
  const { daemon, event, events } = started;
  const [first = 0, second = 0] = workersOf(process.pid);
  const idle = [first, second].map(socketsOf);
  const sockets = dialMany(started);
  assert.equal(await countEchoed(sockets), enoughConnections);
  assert.ok([first, second].every((pid, index) => socketsOf(pid) > (idle[index] ?? 0)));
  assert.equal(daemon.tables().workers?.capacity, 2);
  // After a pause, a worker counts as missing until its next heartbeat.
  await until(() => daemon.tables().workers?.entries === 2);
  await until(() => daemon.stats().one?.bytes_out === enoughConnections);
  assert.equal(daemon.stats().one?.active_connections, enoughConnections);
  assert.equal(daemon.stats().one?.total_allowed, enoughConnections);
  for (const socket of sockets) socket.end();
  await until(() => events.filter(({ action }) => action === 'allowed').length === enoughConnections);
  const { service, client_ip, bytes_in } = await event(({ action }) => action === 'allowed');
  assert.deepEqual({ service, client_ip, bytes_in }, { service: 'one', client_ip: client, bytes_in: 1 });
  await until(() => daemon.stats().one?.active_connections === 0);
});

test('counts a service whose name is that of a member of every object', async (t) => {
  const { port } = await startUpstream(t, echo);
  const started = await startWorkers(t, { services: { constructor: guardedService(port), one: guardedService(port) } });
  const { daemon } = started;
  const active = () => Object.entries(daemon.stats()).map(([name, stats]) => [name, stats.active_connections]);
  assert.deepEqual(active(), [
    ['constructor', 0],
    ['one', 0],
  ]);
  assert.equal(await countEchoed(dialMany(started, 'constructor')), enoughConnections);
  await until(
    () => active()[0]?.[1] === enoughConnections,
    () => JSON.stringify(active()),
  );
});

test('a data port of FTP is in the worker of its control connection, and workers share the range', async (t) => {
  const server = await ftpServer(t);
  const count = 12;
  const first = await freeRow(count);
  const passive = { ports: `${first}-${first + count - 1}` };
  const rate_limit = { connections_per_minute: 1, burst: 1 }; // only control connections count
  const ftp = guardedService(server.port, {
    protocol: 'ftp',
    ftp: { passive },
    rate_limit,
    max_connections_per_ip: enoughConnections,
  });
  const { daemon, dial, event, events } = await startWorkers(t, { services: { ftp } });
  const exchange = async (index: number): Promise<string> => {
    const localAddress = `127.0.0.${20 + index}`; // one client gets a share of the range
    const control = await ftpClient(dial, { localAddress });
    const { port } = await control.passive(index % 2 === 0 ? 'PASV' : 'EPSV');
    const data = dialData(port, localAddress);
    data.write('hello');
    const text = (await bytesOf(data, 5)).toString();
    data.end();
    control.socket.end();
    return text;
  };
  const texts = await Promise.all(Array.from({ length: count }, (_, index) => exchange(index)));
  assert.deepEqual(new Set(texts), new Set(['hello']));
  await until(() => events.filter(({ facts }) => facts?.connection === 'data').length === texts.length);
  assert.match((await event(({ facts }) => facts?.connection === 'data')).client_ip ?? '', /^127\.0\.0\.[23]\d$/);
  await until(() => daemon.stats().ftp?.total_allowed === 2 * texts.length);
  const control = await ftpClient(dial, { localAddress: client });
  const data = dialData((await control.passive('EPSV')).port, client);
  data.write('x');
  await bytesOf(data, 1);
  const ending = received(data);
  await daemon.bans.add({ ip: client, reason: 'test', origin: 'api' });
  assert.equal((await ending).how, 'reset');
});

test('a ban through the API is in force in all workers when the API responds', async (t) => {
  const { port } = await startUpstream(t, echo);
  const api = { listen: '127.0.0.1:0' };
  const started = await startWorkers(t, { api, services: { one: guardedService(port) } });
  const sockets = dialMany(started);
  assert.equal(await countEchoed(sockets), enoughConnections);
  const ends = sockets.map(received);
  const [address] = started.daemon.apiAddresses();
  const send = (path: string, body: unknown) =>
    fetch(`http://${address}/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  assert.equal((await send('ban', { ip: client })).status, 201);
  assert.equal(await countEchoed(dialMany(started)), 0);
  assert.ok((await Promise.all(ends)).every(({ how }) => how === 'reset'));
  const metrics = await inTime(async () => (await fetch(`http://${address}/metrics`)).text());
  assert.match(
    metrics,
    new RegExp(`connections_allowed_total{service="one"} ${enoughConnections}\\n`),
    'counts are current',
  );
  assert.equal((await send('unban', { ip: client })).status, 200);
  assert.equal(await countEchoed(dialMany(started)), enoughConnections);
});

function refusingPop3(socket: Socket): void {
  socket.write('+OK ready\r\n');
  socket.on('data', (line: Buffer) => socket.write(line.includes('PASS') ? '-ERR [AUTH] no\r\n' : '+OK\r\n'));
}

/** Logs in with a password over several connections, one after the other, and waits until each failure is recorded. */
async function failInTurn({ dial, events }: Started, passwords: readonly string[]): Promise<void> {
  for (const password of passwords) {
    const before = events.length;
    const [socket] = dialMany({ dial }, 'pop3', 1);
    socket?.on('data', (line: Buffer) => {
      if (line.includes('ERR')) socket.end();
      else socket.write(line.toString() === '+OK\r\n' ? `PASS ${password}\r\n` : 'USER a\r\n');
    });
    await until(() => events.slice(before).some(({ action }) => action === 'auth_failure'));
  }
}

test('a password that is repeated in several workers counts once', async (t) => {
  const { port } = await startUpstream(t, refusingPop3);
  const service = guardedService(port, { protocol: 'pop3', ban_after_failures: 3 });
  const started = await startWorkers(t, { services: { pop3: service } });
  const repeated = daemonBounds.failureRate.burst - 3; // more connections than the burst would be refused
  await failInTurn(
    started,
    Array.from({ length: repeated }, () => 'old'),
  );
  const actions = () => started.events.map(({ action }) => action);
  assert.equal(actions().filter((action) => action === 'auth_failure').length, repeated);
  assert.equal(started.daemon.bans.count(), 0);
  await failInTurn(started, ['one', 'two']);
  await started.event(({ action }) => action === 'banned');
  assert.ok(!JSON.stringify(started.events).includes('old'));
});

test('failures in several workers add up to a ban', async (t) => {
  const { port } = await startUpstream(t, refusingPop3);
  const failures = daemonBounds.failureRate.burst; // after one failure, the gate refuses connections beyond this burst
  const service = guardedService(port, { protocol: 'pop3', ban_after_failures: failures });
  const started = await startWorkers(t, { services: { pop3: service } });
  for (const [index, socket] of dialMany(started, 'pop3', failures).entries())
    socket.on('data', (line: Buffer) => {
      if (line.includes('ERR')) socket.end();
      else socket.write(line.toString() === '+OK\r\n' ? `PASS ${index}\r\n` : 'USER a\r\n');
    });
  const banned = await started.event(({ action }) => action === 'banned');
  assert.equal(banned.client_ip, client);
  assert.match(banned.reason, new RegExp(`^pop3: ${failures} failed logins`));
});

const ceilings: readonly { name: string; file: (port: number) => DaemonFile; most: number }[] = [
  {
    name: 'all connections',
    file: (port) => ({ global: { max_connections: 20 }, services: { one: guardedService(port) } }),
    most: 20,
  },
  {
    name: 'connections of one client',
    file: (port) => ({ services: { one: guardedService(port, { max_connections_per_ip: 7 }) } }),
    most: 7,
  },
  {
    name: 'connections of one client that uses the shares of the workers',
    file: (port) => ({ services: { one: guardedService(port, { max_connections_per_ip: 40 }) } }),
    most: 40,
  },
  {
    name: 'connections of one client over all services',
    file: (port) => ({ global: { max_connections_per_ip: 9 }, services: { one: guardedService(port) } }),
    most: 9,
  },
  {
    name: 'new connections per minute',
    file: (port) => ({
      services: { one: guardedService(port, { rate_limit: { connections_per_minute: 1, burst: 11 } }) },
    }),
    most: 11,
  },
];

for (const { name, file, most } of ceilings)
  test(`the limit of ${name} applies to all workers together`, async (t) => {
    const { port } = await startUpstream(t, echo);
    const started = await startWorkers(t, file(port));
    await inTime(started.daemon.refreshCounts); // the workers have slots now
    assert.equal(await countEchoed(dialMany(started)), most);
    await until(() => started.daemon.stats().one?.total_blocked === enoughConnections - most);
  });

test('a worker without a descriptor for an upstream reports it', async (t) => {
  const { port } = await startUpstream(t, echo);
  const started = await startWorkers(t, { services: { one: guardedService(port) } });
  const isSaid = () => /descriptors, ports or memory ran out/.test(started.daemon.problems().join());
  const dialOne = () => countEchoed(dialMany(started, 'one', 1));
  for (let tries = 0; tries < 50 && !isSaid(); tries += 1) await withFewDescriptors(workersOf(process.pid), dialOne);
  await until(isSaid);
  assert.equal(await countEchoed(dialMany(started)), enoughConnections);
});

test('two daemons do not share a port, although their workers could', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { daemon } = await startWorkers(t, { services: { one: guardedService(port) } });
  const listen = daemon.services()[0]?.listen as string;
  await assert.rejects(
    startWorkers(t, { services: { two: guardedService(port, { listen }) } }),
    /services\.two\.listen.*EADDRINUSE/,
  );
  assert.equal(workersOf(process.pid).length, 2, 'the workers of the second daemon have ended');
});

test('clients behind a trusted proxy are counted and banned by their own address', async (t) => {
  const { port } = await startUpstream(t, echo);
  const service = guardedService(port, { proxy_protocol: { accept_from: ['127.0.0.1'] }, max_connections_per_ip: 5 });
  const { daemon, dial, event } = await startWorkers(t, { services: { one: service } });
  const proxied = () => {
    const socket = dial('one');
    socket.write('PROXY TCP4 192.0.2.9 192.0.2.1 4000 22\r\n');
    return socket;
  };
  const sockets = Array.from({ length: enoughConnections }, proxied);
  assert.equal(await countEchoed(sockets), 5);
  assert.equal((await event(({ reason }) => reason === 'max_connections_per_ip')).client_ip, '192.0.2.9');
  await daemon.bans.add({ ip: '192.0.2.9', reason: 'test', origin: 'api' });
  await until(() => daemon.stats().one?.active_connections === 0);
  await until(() => daemon.tables().connections?.entries === 0);
});

test('probes of closed ports count in whichever worker accepts them', async (t) => {
  const { port } = await startUpstream(t, echo);
  const scanned = await freePort();
  const { event, dial } = await startWorkers(t, {
    port_scan: { listen: [`127.0.0.1:${scanned}`], threshold: enoughConnections },
    services: { one: guardedService(port) },
  });
  for (let index = 0; index < enoughConnections; index++) dial('one', { port: scanned, localAddress: client });
  assert.match((await event(({ action }) => action === 'banned')).reason, /^port scan: /);
});
