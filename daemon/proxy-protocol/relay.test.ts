import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { guardedService, received, start, startUpstream } from '../testing/daemon.ts';

const header = 'PROXY TCP4 203.0.113.7 192.0.2.1 4000 22\r\n';

/** An upstream that returns all received bytes after the client has ended its direction. */
const whole = (t: Parameters<typeof startUpstream>[0]) =>
  startUpstream(t, (socket) => {
    received(socket).then(({ bytes }) => socket.end(bytes));
  });

const believing = (port: number, accept_from = ['127.0.0.1']) =>
  guardedService(port, { proxy_protocol: { accept_from } });

test('admits and records the client of a trusted header, and does not relay the header', async (t) => {
  const { port } = await whole(t);
  const { dial, daemon, event } = await start(t, { services: { one: believing(port) } });
  const socket = dial('one');
  const answer = received(socket);
  socket.end(`${header}hello`);
  assert.equal((await answer).bytes.toString(), 'hello');
  const { client_ip, client_port } = await event(({ action }) => action === 'allowed');
  assert.deepEqual({ client_ip, client_port }, { client_ip: '203.0.113.7', client_port: 4000 });
  await daemon.bans.add({ ip: '203.0.113.7', reason: 'test', origin: 'api' });
  const banned = dial('one');
  banned.end(`${header}hello`);
  assert.equal((await received(banned)).bytes.length, 0);
  assert.equal((await event(({ action }) => action === 'blocked')).client_ip, '203.0.113.7');
});

test('accepts a header byte by byte', async (t) => {
  const { port } = await whole(t);
  const { dial } = await start(t, { services: { one: believing(port) } });
  const socket = dial('one').setNoDelay();
  const answer = received(socket);
  for (const byte of Buffer.from(`${header}hello`)) {
    socket.write(Uint8Array.of(byte));
    await turn();
  }
  socket.end();
  assert.equal((await answer).bytes.toString(), 'hello');
});

test('requires a header from a trusted proxy', async (t) => {
  const { port } = await whole(t);
  const service = { ...believing(port), timeouts: { first_byte: '200ms' } };
  const { dial, event } = await start(t, { services: { one: service } });
  const without = dial('one');
  without.end('SSH-2.0-x\r\n');
  assert.equal((await received(without)).bytes.length, 0);
  const silent = dial('one');
  silent.write('PROXY TCP4');
  assert.equal((await received(silent)).bytes.length, 0, 'an unfinished header');
  assert.equal((await event(({ action }) => action === 'blocked')).reason, 'proxy_header');
});

test('records a trusted proxy that sends nothing in time, and not one that closes', async (t) => {
  const { port } = await whole(t);
  const { dial, event, events } = await start(t, {
    services: { one: { ...believing(port), timeouts: { first_byte: '200ms' } } },
  });
  const check = dial('one');
  check.end();
  await received(check);
  assert.equal((await received(dial('one'))).bytes.length, 0);
  const { reason, client_ip } = await event(({ action }) => action === 'blocked');
  assert.deepEqual([reason, client_ip], ['first_byte_timeout', '127.0.0.1']);
  assert.equal(events.length, 1);
});

test('treats a header of an untrusted client as data', async (t) => {
  const { port } = await whole(t);
  const { dial, event } = await start(t, { services: { one: believing(port, ['192.0.2.0/24']) } });
  const socket = dial('one');
  const answer = received(socket);
  socket.end(`${header}hello`);
  assert.equal((await answer).bytes.toString(), `${header}hello`);
  assert.equal((await event(() => true)).client_ip, '127.0.0.1');
});

test('sends the client address to the upstream first, in both versions', async (t) => {
  const { port } = await whole(t);
  const sending = (send: 'v1' | 'v2') => guardedService(port, { proxy_protocol: { send } });
  const { dial } = await start(t, { services: { one: sending('v1'), two: sending('v2') } });
  const answers = await Promise.all(
    ['one', 'two'].map(async (service) => {
      const socket = dial(service);
      const answer = received(socket);
      socket.end('hello');
      return (await answer).bytes;
    }),
  );
  assert.match(String(answers[0]), /^PROXY TCP4 127\.0\.0\.1 127\.0\.0\.1 \d+ \d+\r\nhello$/);
  assert.match(answers[1]?.toString('hex') ?? '', /^0d0a0d0a000d0a515549540a2111000c7f0000017f000001.{8}68656c6c6f$/);
});
