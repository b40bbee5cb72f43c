import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as later, setImmediate as turn } from 'node:timers/promises';
import { until } from '../../platform/testing/until.ts';
import { bytesOf, echo, guardedService, received, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';

/** The first flight of TLS 1.2 with the server name `name`. */
function clientHello(name: string): Buffer {
  const u16 = (value: number) => [value >> 8, value & 255];
  const host = Buffer.from(name);
  const list = [0, ...u16(host.length), ...host];
  const sni = [...u16(0), ...u16(list.length + 2), ...u16(list.length), ...list];
  const body = [3, 3, ...new Array(32).fill(7), 0, ...u16(2), 0x13, 0x01, 1, 0, ...u16(sni.length), ...sni];
  const handshake = [1, 0, ...u16(body.length), ...body];
  return Buffer.from([22, 3, 1, ...u16(handshake.length), ...handshake]);
}

test('refuses a client that does not send its first bytes in time', async (t) => {
  let connected = 0;
  const { port } = await startUpstream(t, () => connected++);
  const service = guardedService(port, { protocol: 'tls', timeouts: { first_byte: '200ms' } });
  const { dial, event } = await start(t, { services: { tls: service } });
  const [silent, slow] = [dial('tls'), dial('tls')];
  slow.write(Uint8Array.of(22, 3, 1));
  assert.equal((await received(silent)).bytes.length, 0);
  assert.equal((await received(slow)).bytes.length, 0);
  assert.equal((await event(({ action }) => action === 'blocked')).reason, 'first_byte_timeout');
  assert.equal(connected, 0);
});

test('first bytes in pieces reach the upstream complete, and their facts reach the audit', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { dial, event } = await start(t, { services: { tls: guardedService(port, { protocol: 'tls' }) } });
  const hello = clientHello('www.example.org');
  const socket = dial('tls').setNoDelay();
  const answer = received(socket);
  socket.write(hello.subarray(0, 7));
  await later(20);
  socket.end(hello.subarray(7));
  assert.deepEqual((await answer).bytes, hello);
  assert.equal((await event(({ action }) => action === 'allowed')).facts?.sni, 'www.example.org');
});

test('bytes that the configuration denies never reach the upstream', async (t) => {
  let connected = 0;
  const { port } = await startUpstream(t, () => connected++);
  const service = guardedService(port, { protocol: 'tls', tls: { deny_sni: ['*.example.org'] } });
  const { dial, event, daemon } = await start(t, { services: { tls: service } });
  const socket = dial('tls');
  const answer = received(socket);
  socket.write(clientHello('www.example.org'));
  assert.equal((await answer).bytes.length, 0);
  const { reason, facts } = await event(({ action }) => action === 'blocked');
  assert.notEqual(reason, '');
  assert.equal(facts?.sni, 'www.example.org');
  assert.equal(connected, 0);
  assert.equal(daemon.stats().tls?.total_blocked, 1);
});

test('inspects the bytes after a PROXY header, also where the server sends first', async (t) => {
  const { port } = await startUpstream(t, echo);
  const accept_from = ['127.0.0.1'];
  const service = guardedService(port, { protocol: 'ssh', proxy_protocol: { accept_from } });
  const { dial, event } = await start(t, { services: { ssh: service } });
  const socket = dial('ssh');
  socket.write('PROXY TCP4 203.0.113.7 192.0.2.1 4000 22\r\nSSH-2.0-Example_1.0\r\n');
  await bytesOf(socket, 1);
  socket.end();
  const { facts } = await event(({ service: name }) => name === 'ssh');
  assert.match(JSON.stringify(facts), /Example_1\.0/);
});

test('counts the bytes of open connections', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { dial, daemon } = await start(t, { services: { one: guardedService(port) } });
  const socket = dial('one');
  socket.write('1234');
  await bytesOf(socket, 4);
  assert.equal(daemon.stats().one?.bytes_in, 4);
  assert.equal(daemon.stats().one?.bytes_out, 4);
});

test('a client that closes without a byte is not a security event', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { dial, event, daemon } = await start(t, { services: { tls: guardedService(port, { protocol: 'tls' }) } });
  dial('tls').end();
  assert.equal((await event(() => true)).reason, 'closed_early');
  assert.equal(daemon.stats().tls?.total_blocked, 0);
});

test('records failed logins, bans their address, and the ban ends the connection', async (t) => {
  const { port } = await startUpstream(t, (socket) => {
    socket.write('+OK ready\r\n');
    socket.on('data', (line: Buffer) => socket.write(line.includes('PASS') ? '-ERR [AUTH] no\r\n' : '+OK\r\n'));
  });
  const service = guardedService(port, { protocol: 'pop3', ban_after_failures: 3 });
  const { dial, events, event, daemon } = await start(t, { services: { pop3: service } });
  const socket = dial('pop3', { localAddress: '127.0.0.7' }); // 127.0.0.1 is exempt as an address of this host
  let guesses = 0;
  const guess = () => {
    guesses += 1;
    return `PASS ${guesses}\r\n`;
  };
  socket.on('data', (line: Buffer) => socket.write(line.toString() === '+OK\r\n' ? guess() : 'USER a\r\n'));
  await received(socket);
  assert.equal((await event(({ action }) => action === 'banned')).client_ip, '127.0.0.7');
  await event(({ action, reason }) => action === 'blocked' && reason === 'ban');
  assert.equal(events.filter(({ action }) => action === 'auth_failure').length, 3);
  assert.equal(daemon.bans.count(), 1);
});

test('inspects the request behind a body of which most bytes pass unseen', async (t) => {
  const body = randomBytes(3_000_000);
  const head = `POST /public HTTP/1.1\r\nHost: example.org\r\nContent-Length: ${body.length}\r\n\r\n`;
  const arrived: Buffer[] = [];
  const { port } = await startUpstream(t, (socket) => socket.on('data', (bytes: Buffer) => arrived.push(bytes)));
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'guard.json'), JSON.stringify({ blockPatterns: ['^/private'] }));
  const service = guardedService(port, { protocol: 'http', http: { policy: 'guard.json' } });
  const { dial, event } = await start(t, { services: { web: service } }, { folder });
  const socket = dial('web');
  socket.write(Buffer.concat([Buffer.from(head), body]));
  const size = () => arrived.reduce((sum, { length }) => sum + length, 0);
  await until(() => size() === head.length + body.length);
  socket.write('GET /private HTTP/1.1\r\nHost: example.org\r\n\r\n');
  await received(socket);
  assert.equal((await event(({ action }) => action === 'blocked')).reason, 'block_pattern_match');
  assert.equal(Buffer.concat(arrived).equals(Buffer.concat([Buffer.from(head), body])), true);
});

test('requests that a policy blocks do not reach the upstream, including the second one of a connection', async (t) => {
  const requests: string[] = [];
  const { port } = await startUpstream(t, (socket) => {
    socket.on('data', (request: Buffer) => {
      requests.push(String(request).split('\r\n')[0] ?? '');
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'guard.json'), JSON.stringify({ blockPatterns: ['^/private'] }));
  const service = guardedService(port, { protocol: 'http', http: { policy: 'guard.json' } });
  const { dial, event, daemon } = await start(t, { services: { web: service } }, { folder });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: example.org\r\n\r\n`;
  const first = dial('web');
  first.write(get('/private'));
  assert.equal((await received(first)).bytes.length, 0);
  await event(({ action }) => action === 'blocked');
  const second = dial('web');
  second.write(get('/public'));
  await bytesOf(second, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'.length);
  second.write(get('/private'));
  assert.equal((await received(second)).bytes.length, 0);
  assert.deepEqual(requests, ['GET /public HTTP/1.1']);
  while (daemon.stats().web?.total_blocked !== 2) await turn();
});
