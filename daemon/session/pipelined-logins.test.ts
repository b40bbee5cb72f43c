/** Guesses that a client sends without waiting for the replies. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { bytesOf, guardedService, received, start, startUpstream } from '../testing/daemon.ts';

const client = { localAddress: '127.0.0.7' }; // 127.0.0.1 is exempt as an address of this host
const banAfter = 5;
const mostJudged = banAfter + 2;

type Reply = (line: string, socket: Socket) => void;

/** A server that handles one line after the other, and keeps those that it has received. */
async function lineServer(t: TestContext, reply: Reply, greeting = '') {
  const lines: string[] = [];
  const upstream = await startUpstream(t, (socket) => {
    let text = '';
    socket.write(greeting);
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        lines.push(text.slice(0, end));
        reply(text.slice(0, end), socket);
        text = text.slice(end + 2);
      }
    });
  });
  return { ...upstream, lines };
}

const refusesRedis: Reply = (line, socket) =>
  void socket.write(line.startsWith('AUTH') ? '-WRONGPASS no\r\n' : '+OK\r\n');
const guesses = (count: number) =>
  Array.from({ length: count }, (_, index) => `AUTH guess-${index}\r\nSET pwned hit-${index}\r\n`).join('');

const settings = (workers: number): DaemonFile['global'] => ({ workers, ban_after_failures: banAfter });

for (const workers of [1, 2])
  test(`bans a client that pipelines a thousand guesses, with workers: ${workers}`, async (t) => {
    const { port, lines } = await lineServer(t, refusesRedis);
    const services = { redis: guardedService(port, { protocol: 'redis' }) };
    const { dial, event, events } = await start(t, { global: settings(workers), services });
    const socket = dial('redis', client);
    socket.write(guesses(1000));
    await received(socket);
    await event(({ action }) => action === 'banned');
    await event(({ action, reason }) => action === 'blocked' && reason === 'ban');
    const judged = lines.filter((line) => line.startsWith('AUTH')).length;
    assert.ok(judged >= banAfter && judged <= mostJudged, `${judged} guesses were judged`);
    assert.equal(events.filter(({ action }) => action === 'banned').length, 1);
  });

test('commands behind a login reach the server after its outcome, in order', async (t) => {
  const { port, lines } = await lineServer(t, (line, socket) => {
    if (line.startsWith('AUTH'))
      setImmediate(() => socket.write(lines.length === 1 ? '+OK\r\n' : '-ERR too early\r\n'));
    else socket.write('+OK\r\n');
  });
  const { dial } = await start(t, { services: { redis: guardedService(port, { protocol: 'redis' }) } });
  const socket = dial('redis', client);
  socket.write('AUTH right\r\nSELECT 1\r\nPING\r\n');
  assert.equal((await bytesOf(socket, 15)).toString(), '+OK\r\n+OK\r\n+OK\r\n');
  assert.deepEqual(lines, ['AUTH right', 'SELECT 1', 'PING']);
});

const pop3 = { protocol: 'pop3' } as const;
const refusesPop3: Reply = (line, socket) =>
  void socket.write(line.startsWith('PASS') ? '-ERR [AUTH] no\r\n' : '+OK\r\n');

test('bans a client that pipelines guesses where the server sends first', async (t) => {
  const { port, lines } = await lineServer(t, refusesPop3, '+OK ready\r\n');
  const { dial, event } = await start(t, { global: settings(1), services: { pop3: guardedService(port, pop3) } });
  const socket = dial('pop3', client);
  socket.write('USER a\r\nPASS b\r\n'.repeat(500));
  await received(socket);
  await event(({ action }) => action === 'banned');
  const judged = lines.filter((line) => line.startsWith('PASS')).length;
  assert.ok(judged <= mostJudged, `${judged} guesses were judged`);
});

const basic = (password: string, path = '/') =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${Buffer.from(`u:${password}`).toString('base64')}\r\n\r\n`;
const plain = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** A server that responds to requests of any path when `respond` is called. Returns the received requests. */
async function webServer(t: TestContext) {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const { port } = await lineServer(t, (line, socket) => {
    if (!line.startsWith('GET')) return;
    requests.push(line.split(' ')[1] ?? '');
    sockets.push(socket);
  });
  const respond = (status: number) => sockets.at(-1)?.write(`HTTP/1.1 ${status} x\r\nContent-Length: 0\r\n\r\n`);
  return { port, requests, respond };
}

test('pipelined requests wait only behind credentials whose outcome is unknown', async (t) => {
  const { port, requests, respond } = await webServer(t);
  const { dial } = await start(t, { services: { web: guardedService(port, { protocol: 'http' }) } });
  const socket = dial('web', client);
  socket.write(plain('/1') + plain('/2') + basic('x', '/3') + plain('/4') + basic('x', '/5') + basic('x', '/6'));
  await until(() => requests.length === 3);
  for (let request = 1; request <= 3; request += 1) respond(200);
  await until(() => requests.length === 6); // the accepted credentials are no longer a guess
  socket.write(basic('y', '/7') + basic('x', '/8'));
  await until(() => requests.length === 7);
  for (let request = 4; request <= 6; request += 1) respond(200);
  respond(401);
  await until(() => requests.length === 8);
});

test('a login without an answer counts if further logins were queued behind it', async (t) => {
  const { port } = await lineServer(t, (_line, socket) => void socket.resetAndDestroy());
  const services = { redis: guardedService(port, { protocol: 'redis' }) };
  const { dial, event, events } = await start(t, { global: settings(1), services });
  const socket = dial('redis', client);
  socket.write(guesses(3));
  await received(socket);
  await event(({ action, reason }) => action === 'auth_failure' && reason === 'unanswered_login');
  await event(({ action }) => action === 'allowed');
  assert.equal(events.filter(({ action }) => action === 'auth_failure').length, 1);
});

test('a single login without an answer never counts, whatever follows it', async (t) => {
  const { port } = await lineServer(t, (_line, socket) => void socket.resetAndDestroy());
  const services = { redis: guardedService(port, { protocol: 'redis' }) };
  const { dial, events } = await start(t, { global: settings(1), services });
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    const socket = dial('redis', client);
    socket.write('AUTH right\r\nSELECT 1\r\nGET a\r\n');
    await received(socket);
    await until(() => events.filter(({ action }) => action === 'allowed').length === attempt);
  }
  assert.deepEqual(
    events.filter(({ action }) => action !== 'allowed'),
    [],
  );
});
