import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { bytesOf, guardedService, start, startUpstream } from '../testing/daemon.ts';
import { EndedMemory } from './ended-memory.ts';
import { type HeldAccount, HeldBytes } from './held-bytes.ts';

/** Clients whose closed connections are listed as `client: reason`. */
function clients(bounds: { process: number; client: number }) {
  const held = new HeldBytes(new EndedMemory(() => {}), bounds);
  const closed: string[] = [];
  const open = (key: string, bodyBytes?: number): HeldAccount =>
    held.open({ client: { key }, cut: (reason) => void closed.push(`${key}: ${reason}`) }, bodyBytes);
  return { held, closed, open };
}

test('a client that holds too much loses its largest connection, and others lose none', () => {
  const { held, closed, open } = clients({ process: 1000, client: 100 });
  const [large, small, other] = [open('a'), open('a'), open('b')];
  other.set(100);
  large.set(90);
  small.set(10);
  assert.deepEqual(closed, []);
  small.set(11);
  assert.deepEqual(closed, ['a: memory_per_ip']);
  assert.equal(held.bytes, 111);
  large.set(50);
  assert.equal(held.bytes, 111, 'a closed connection holds nothing');
});

test('of equal connections, the one that has held its bytes longest is closed', () => {
  const { held, closed, open } = clients({ process: 1000, client: 100 });
  const cut: number[] = [];
  const accounts = [0, 1, 2].map((index) => held.open({ client: { key: 'a' }, cut: () => void cut.push(index) }));
  for (const account of accounts) account.set(40);
  assert.deepEqual(cut, [0]);
  open('b').set(1);
  assert.deepEqual(closed, []);
});

test('when the process holds too much, the client that holds most loses its largest connection', () => {
  const { held, closed, open } = clients({ process: 200, client: 150 });
  const honest = open('honest');
  honest.set(10);
  open('greedy').set(64);
  open('greedy').set(64);
  for (let index = 0; index < 20; index += 1) open(`other ${index}`).set(5);
  assert.deepEqual(closed, ['greedy: memory']);
  assert.ok(held.bytes <= 200);
  assert.equal(honest.bytes, 10);
});

test('collects the memory of cut connections after a bound, in a later turn', async () => {
  let collections = 0;
  const held = new HeldBytes(new EndedMemory(() => collections++), { process: 1, client: daemonBounds.heldGarbage });
  held.open({ client: { key: 'a' }, cut: () => {} }).set(daemonBounds.heldGarbage - 1);
  await turn();
  assert.equal(collections, 0);
  for (const bytes of [2, 3]) held.open({ client: { key: 'b' }, cut: () => {} }).set(bytes);
  assert.equal(collections, 0);
  await turn();
  assert.equal(collections, 1);
});

test('counts nothing after every connection has closed', () => {
  const { held, open } = clients({ process: 200, client: 150 });
  const accounts = ['a', 'a', 'b'].map((key) => open(key));
  for (const [index, account] of accounts.entries()) account.set(10 * (index + 1));
  assert.equal(held.bytes, 60);
  for (const account of accounts) account.close();
  for (const account of accounts) account.set(5);
  assert.equal(held.bytes, 0);
});

test('a policy that inspects large bodies raises the bounds', () => {
  const { closed, open } = clients({ process: 200, client: 100 });
  const upload = open('a', 150);
  upload.set(150);
  assert.deepEqual(closed, []);
  open('a').set(1 + daemonBounds.heldBodies.client * 150 - 150);
  assert.deepEqual(closed, ['a: memory_per_ip']);
});

/** Sends an unfinished request head of almost the longest length. */
function sendUnfinished(socket: Socket): void {
  const head = 'GET / HTTP/1.1\r\nHost: a\r\nX: ';
  socket.write(head + 'x'.repeat(daemonBounds.firstBytes - 1 - head.length));
}

/** Sends a login that the server does not answer, and bytes that wait behind it. */
function sendBehindLogin(socket: Socket): void {
  socket.write('AUTH a x\r\n');
  socket.write(`PING ${'x'.repeat(65_536)}`);
}

const attacks = [
  {
    what: 'unfinished requests',
    protocol: 'http',
    send: sendUnfinished,
    honest: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    reply: 'HTTP/1.1 204 No Content\r\n\r\n',
  },
  {
    what: 'bytes behind logins without an answer',
    protocol: 'redis',
    send: sendBehindLogin,
    honest: 'PING\r\n',
    reply: '+PONG\r\n',
  },
] as const;

for (const { what, protocol, send, honest, reply } of attacks)
  test(`${what} of one address end beyond its share, and honest clients are served`, async (t) => {
    const { port } = await startUpstream(t, (socket) => {
      socket.on('data', (bytes: Buffer) => bytes.includes('AUTH') || socket.write(reply));
    });
    const service = guardedService(port, { protocol, timeouts: { first_byte: '5m' } });
    const { dial, event, daemon } = await start(t, { services: { it: service } });
    const served = async (localAddress: string) => {
      const socket = dial('it', { localAddress });
      socket.write(honest);
      await bytesOf(socket, 1);
      socket.destroy();
    };
    const most = Math.ceil(daemonBounds.heldBytes.client / daemonBounds.firstBytes);
    let closed = 0;
    for (let count = 0; count < most + 20; count += 1) {
      const socket = dial('it', { localAddress: '127.0.0.9' });
      t.after(() => socket.destroy());
      socket.on('connect', () => send(socket)).on('close', () => closed++);
    }
    const { reason, client_ip } = await event(({ action }) => action === 'blocked');
    assert.deepEqual([reason, client_ip], ['memory_per_ip', '127.0.0.9']);
    await until(() => closed >= 15);
    for (const address of ['127.0.0.9', '127.0.0.1']) await served(address);
    await until(() => (daemon.stats().it?.total_blocked ?? 0) >= 15);
  });
