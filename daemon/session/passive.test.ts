/** FTP data connections of passive mode through the daemon. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { freePort, freeRow, listenError } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { bytesOf, guardedService, received, start, startUpstream } from '../testing/daemon.ts';
import { dialData, ftpClient, ftpServer } from '../testing/ftp.ts';

type Service = NonNullable<DaemonFile['services']>[string];
interface Options {
  readonly address?: string;
  readonly service?: Partial<Service>;
  readonly global?: DaemonFile['global'];
}

/** An FTP server behind the daemon, which has one data port, and functions that connect to the daemon. */
async function guardedFtp(t: TestContext, { address, service = {}, global = {} }: Options = {}) {
  const server = await ftpServer(t);
  const port = await freePort();
  const passive = { ports: `${port}-${port}`, ...(address && { address }) };
  const ftp = guardedService(server.port, { protocol: 'ftp', ftp: { passive }, ...service });
  const started = await start(t, { global, services: { ftp } });
  return {
    ...started,
    server,
    port,
    client: (localAddress = '127.0.0.1') => ftpClient(started.dial, { localAddress }),
  };
}

const isFree = async (port: number): Promise<boolean> => (await listenError(port)) === undefined;

async function echoed(socket: ReturnType<typeof dialData>, text: string): Promise<string> {
  socket.write(text);
  const ended = received(socket).then(({ bytes }) => bytes);
  return (await Promise.race([bytesOf(socket, text.length), ended])).toString();
}

for (const command of ['PASV', 'EPSV'] as const)
  test(`${command}: relays one data connection, which is counted and recorded, and closes its port`, async (t) => {
    const { client, daemon, event, port, server } = await guardedFtp(t);
    const control = await client();
    const announced = await control.passive(command);
    assert.deepEqual(announced, { host: command === 'PASV' ? '127.0.0.1' : '', port });
    const data = dialData(port);
    const text = 'hello\r\n\r\n'; // an empty line, which is a violation on the control connection
    assert.equal(await echoed(data, text), text);
    assert.ok(await isFree(port));
    assert.equal(daemon.stats().ftp?.active_connections, 2);
    data.end();
    const { action, client_ip, bytes_in, bytes_out, facts } = await event(({ reason }) => reason === 'data_closed');
    assert.deepEqual({ action, client_ip, bytes_in, bytes_out }, { ...allowed, bytes_in: 9, bytes_out: 9 });
    const control_port = `${control.socket.localPort}`;
    assert.deepEqual(facts, { connection: 'data', control_port, data_port: `${port}` });
    assert.equal(daemon.stats().ftp?.total_allowed, 2);
    assert.equal(server.dataPorts.length, 1);
    assert.equal(await control.ask('NOOP'), '200 ok');
  });

const allowed = { action: 'allowed', client_ip: '127.0.0.1' };

test('announces the configured address', async (t) => {
  const { client, port } = await guardedFtp(t, { address: '203.0.113.10' });
  assert.deepEqual(await (await client()).passive('PASV'), { host: '203.0.113.10', port });
});

test('never connects to another host than the upstream', async (t) => {
  let connected = 0;
  const other = await startUpstream(t, () => connected++, '127.0.0.2');
  const hostile = await startUpstream(t, (socket) => {
    socket.write('220 ready\r\n');
    socket.on('data', () => socket.write(`227 (127,0,0,2,${other.port >> 8},${other.port & 255})\r\n`));
    socket.on('end', () => socket.end());
  });
  const port = await freePort();
  const ftp = guardedService(hostile.port, { protocol: 'ftp', ftp: { passive: { ports: `${port}-${port}` } } });
  const { dial, event } = await start(t, { services: { ftp } });
  const control = await ftpClient(dial);
  assert.equal(await control.ask('PASV'), "425 Can't open data connection.");
  assert.equal((await received(dialData(port))).bytes.length, 0);
  control.socket.end();
  const { facts } = await event(({ action }) => action === 'allowed');
  assert.deepEqual(facts, { passive_failed: 'foreign_host' });
  assert.equal(connected, 0);
});

test('refuses and counts another client that connects first, and still waits for the right one', async (t) => {
  const { client, daemon, event, port } = await guardedFtp(t);
  const { port: announced } = await (await client()).passive('EPSV');
  const thief = dialData(announced, '127.0.0.9');
  assert.equal((await received(thief)).bytes.length, 0);
  const { client_ip } = await event(({ action, reason }) => action === 'blocked' && reason === 'unexpected_data');
  assert.equal(client_ip, '127.0.0.9');
  assert.equal(daemon.stats().ftp?.total_blocked, 1);
  assert.equal(await echoed(dialData(port), 'mine'), 'mine');
});

test('serves one connection of a port, and refuses the others', async (t) => {
  const { client, port } = await guardedFtp(t);
  await (await client()).passive('EPSV');
  const sockets = [1, 2, 3].map(() => dialData(port));
  const texts = await Promise.all(sockets.map((socket) => echoed(socket, 'x')));
  assert.deepEqual(texts.filter(Boolean), ['x']);
});

test('a port that its client never uses is closed by the next PASV and with the control connection', async (t) => {
  const first = await freeRow(2);
  const server = await ftpServer(t);
  const ports = `${first}-${first + 1}`;
  const ftp = guardedService(server.port, { protocol: 'ftp', ftp: { passive: { ports } } });
  const { dial, daemon } = await start(t, { services: { ftp } });
  const control = await ftpClient(dial);
  const unused = await control.passive('PASV');
  const used = await control.passive('PASV');
  if (unused.port !== used.port) assert.ok(await isFree(unused.port));
  assert.equal(await echoed(dialData(used.port), 'x'), 'x');
  const last = await control.passive('EPSV');
  assert.equal(await isFree(last.port), false);
  control.socket.destroy();
  await until(() => isFree(last.port), 'the port to be closed');
  await until(() => daemon.stats().ftp?.active_connections === 1, 'only the data connection to be open');
});

test('a range without a free port gives 425, and the client can ask again', async (t) => {
  const { client, event, port } = await guardedFtp(t);
  const taken = createServer().listen(port, '127.0.0.1');
  await once(taken, 'listening');
  const control = await client();
  assert.equal(await control.ask('PASV'), "425 Can't open data connection.");
  assert.equal(await control.ask('EPSV'), "425 Can't open data connection.");
  taken.close();
  await once(taken, 'close');
  assert.equal((await control.passive('PASV')).port, port);
  assert.equal(await echoed(dialData(port), 'x'), 'x');
  control.socket.end();
  const { facts } = await event(({ reason, facts }) => reason === 'closed' && facts?.passive_failed !== undefined);
  assert.deepEqual(facts, { passive_failed: 'no_free_port' });
});

test('connection limits count data connections, and rates of new connections do not', async (t) => {
  const service = { max_connections_per_ip: 3, rate_limit: { connections_per_minute: 1, burst: 1 } };
  const { client, event, port } = await guardedFtp(t, { service });
  const control = await client();
  for (const text of ['a', 'b']) {
    await control.passive('PASV');
    assert.equal(await echoed(dialData(port), text), text);
  }
  await control.passive('PASV');
  assert.equal(await echoed(dialData(port), 'c'), '');
  const { reason } = await event(({ action }) => action === 'blocked');
  assert.equal(reason, 'max_connections_per_ip');
});

test('a ban ends data connections and closes the port that waits', async (t) => {
  const { client, daemon, event, port } = await guardedFtp(t);
  const control = await client('127.0.0.7');
  await control.passive('EPSV');
  const data = dialData(port, '127.0.0.7');
  assert.equal(await echoed(data, 'x'), 'x');
  await control.passive('EPSV');
  const ending = received(data);
  await daemon.bans.add({ ip: '127.0.0.7', reason: 'test', origin: 'api' });
  assert.equal((await ending).how, 'reset');
  const { facts } = await event(({ reason, facts }) => reason === 'ban' && facts !== undefined);
  assert.equal(facts?.connection, 'data');
  await until(() => isFree(port), 'the port to be closed');
});

test('a client behind a trusted proxy connects to the data port through the proxy', async (t) => {
  const service = { proxy_protocol: { accept_from: ['127.0.0.1'] } };
  const { dial, event, port } = await guardedFtp(t, { service });
  const header = (ip: string) => `PROXY TCP4 ${ip} 127.0.0.1 4000 21\r\n`;
  const control = await ftpClient(dial, {}, header('192.0.2.1'));
  await control.passive('EPSV');
  const thief = dialData(port);
  thief.write(header('192.0.2.2'));
  assert.equal((await received(thief)).bytes.length, 0);
  assert.equal((await event(({ reason }) => reason === 'unexpected_data')).client_ip, '192.0.2.2');
  const data = dialData(port);
  data.write(header('192.0.2.1'));
  assert.equal(await echoed(data, 'x'), 'x');
});

test('a client over IPv6 gets a data port by EPSV, and not by PASV', async (t) => {
  const { dial, port } = await guardedFtp(t, { service: { listen: '[::1]:0' } });
  const control = await ftpClient(dial, { host: '::1' });
  assert.equal(await control.ask('PASV'), "425 Can't open data connection.");
  await control.passive('EPSV');
  const data = connect({ host: '::1', port }).on('error', () => {});
  assert.equal(await echoed(data, 'x'), 'x');
});

test('an upstream that does not accept the data connection is recorded', async (t) => {
  const closed = await freePort();
  const port = await freePort();
  const { port: behind } = await startUpstream(t, (socket) => {
    socket.write('220 ready\r\n');
    socket.on('data', () => socket.write(`229 ok (|||${closed}|)\r\n`));
  });
  const ftp = guardedService(behind, { protocol: 'ftp', ftp: { passive: { ports: `${port}-${port}` } } });
  const { dial, event } = await start(t, { services: { ftp } });
  await (await ftpClient(dial)).passive('EPSV');
  assert.equal((await received(dialData(port))).how, 'reset');
  assert.equal((await event(({ facts }) => facts?.connection === 'data')).reason, 'data_upstream_refused');
});
