import assert from 'node:assert/strict';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { freePort } from '../../platform/free-ports.ts';
import type { NetConnection } from '../plane/net/connection.ts';
import { createNetPlane } from '../plane/net/plane.ts';
import { hangingPort } from '../plane/testing/hanging.ts';
import { bytesOf, echo, guardedService, received, start, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { EndedMemory } from './ended-memory.ts';
import { LimitedRelay, type RelayResult } from './relay.ts';
import { StalledBytes } from './stalled-bytes.ts';

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const megabyte = 1024 * 1024;

test('relays bytes and the end of each direction unchanged', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { dial } = await start(t, { services: { echo: guardedService(port) } });
  const rounds = Array.from({ length: 24 }, async () => {
    const sent = randomBytes(randomInt(1, megabyte));
    const socket = dial('echo');
    const answer = received(socket);
    socket.end(sent);
    const { bytes, how } = await answer;
    assert.deepEqual([hash(bytes), how], [hash(sent), 'end']);
  });
  await Promise.all(rounds);
});

test('keeps one direction open after the other has ended', async (t) => {
  const late = randomBytes(300_000);
  const { port } = await startUpstream(t, (socket) => {
    received(socket).then(({ bytes }) => socket.end(Buffer.concat([bytes, late])));
  });
  const early = await startUpstream(t, (socket) => {
    socket.end('done');
    received(socket).then(({ bytes }) => arrived.resolve(bytes));
  });
  const arrived = Promise.withResolvers<Buffer>();
  const { dial } = await start(t, { services: { late: guardedService(port), early: guardedService(early.port) } });
  const first = dial('late');
  const answer = received(first);
  first.end('question');
  assert.deepEqual((await answer).bytes, Buffer.concat([Buffer.from('question'), late]));
  const second = dial('early');
  assert.equal((await received(second)).bytes.toString(), 'done');
  second.end(late);
  assert.equal(hash(await arrived.promise), hash(late));
});

test('relays single bytes', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { dial } = await start(t, { services: { echo: guardedService(port) } });
  const socket = dial('echo').setNoDelay();
  const sent = randomBytes(500);
  const answer = received(socket);
  for (const byte of sent) {
    socket.write(Uint8Array.of(byte));
    await turn();
  }
  socket.end();
  assert.equal(hash((await answer).bytes), hash(sent));
});

test('reads from the upstream only as fast as a slow client drains', async (t) => {
  let offered = 0;
  const stalled = Promise.withResolvers<void>();
  const { port } = await startUpstream(t, (socket) => {
    const chunk = Buffer.alloc(megabyte);
    const push = () => {
      while (offered < 256 * megabyte && socket.write(chunk)) offered += chunk.length;
      offered += chunk.length;
    };
    socket.on('drain', push);
    push();
    // Kernel buffers accept some bytes. Two equal counts in a row show that they are full.
    let before = -1;
    const polling = setInterval(() => {
      if (offered === before) stalled.resolve();
      before = offered;
    }, 200);
    t.after(() => clearInterval(polling));
  });
  const { dial, daemon } = await start(t, { services: { bulk: guardedService(port) } });
  const socket = dial('bulk').pause();
  await stalled.promise;
  assert.ok(offered < 64 * megabyte, `${offered} bytes were read`);
  assert.equal(daemon.stats().bulk?.active_connections, 1);
  socket.destroy();
});

test('resets the client when its upstream refuses, and the audit names the upstream', async (t) => {
  const { dial, event, daemon } = await start(t, { services: { dead: guardedService(await freePort()) } });
  assert.deepEqual(await received(dial('dead')), { bytes: Buffer.alloc(0), how: 'reset' });
  const { action } = await event(({ reason }) => reason === 'upstream_refused');
  assert.equal(action, 'allowed');
  assert.deepEqual(daemon.problems(), []);
});

test('gives up an upstream that does not respond', async (t) => {
  const service = guardedService(await hangingPort(t), { timeouts: { connect: '200ms' } });
  const { dial, event } = await start(t, { services: { far: service } });
  assert.equal((await received(dial('far'))).how, 'reset');
  assert.equal((await event(({ service: name }) => name === 'far')).reason, 'upstream_timeout');
});

test('ends an idle connection and keeps an active one', async (t) => {
  const { port } = await startUpstream(t, echo);
  const timeouts = { idle: '10s' }; // a loaded machine can pause this process for seconds
  const { dial, event } = await start(t, { services: { echo: guardedService(port, { timeouts }) } });
  const [idle, busy] = [dial('echo'), dial('echo')];
  const ticking = setInterval(() => busy.write('x'), 200);
  t.after(() => clearInterval(ticking));
  const busyEnds = received(busy);
  await received(idle);
  assert.equal((await event(({ service }) => service === 'echo')).reason, 'idle_timeout');
  assert.equal(busy.destroyed, false);
  busy.end();
  clearInterval(ticking);
  assert.equal((await busyEnds).how, 'end');
});

test('ends a busy connection after its total time', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { dial, event } = await start(t, { services: { echo: guardedService(port, { timeouts: { total: '1s' } }) } });
  const socket = dial('echo');
  const ticking = setInterval(() => socket.write('x'), 100);
  t.after(() => clearInterval(ticking));
  await received(socket);
  assert.equal((await event(({ service }) => service === 'echo')).reason, 'total_timeout');
});

test('propagates a reset in both directions', async (t) => {
  const { port, sockets } = await startUpstream(t, echo);
  const { dial, event } = await start(t, { services: { echo: guardedService(port) } });
  const first = dial('echo');
  first.write('x');
  await bytesOf(first, 1);
  const seen = received([...sockets][0] as never);
  first.resetAndDestroy();
  assert.equal((await seen).how, 'reset');
  assert.equal((await event(() => true)).reason, 'client_lost');
  const second = dial('echo');
  second.write('x');
  await bytesOf(second, 1);
  const answer = received(second);
  for (const socket of sockets) socket.resetAndDestroy();
  assert.equal((await answer).how, 'reset');
  await event(({ reason }) => reason === 'upstream_lost');
});

test('can cut a connection whose end is still buffered for a slow client', async (t) => {
  const { port } = await startUpstream(t, (socket) => socket.end(Buffer.alloc(32 * megabyte)));
  const plane = createNetPlane();
  const { dial, daemon } = await start(
    t,
    { services: { bulk: guardedService(port, { timeouts: { idle: '1s' } }) } },
    { plane },
  );
  const socket = dial('bulk', { localAddress: '127.0.0.7' });
  await bytesOf(socket, 1);
  socket.pause();
  await daemon.bans.add({ ip: '127.0.0.7', reason: 'test', origin: 'api' });
  while (plane.counters().open > 0) await turn();
  assert.equal(daemon.stats().bulk?.active_connections, 0);
});

test('notices a reset after a half-close and frees the slots of both sides', async (t) => {
  const asked = Promise.withResolvers<Socket>();
  const { port } = await startUpstream(t, (socket) => void socket.resume().once('end', () => asked.resolve(socket)));
  const plane = createNetPlane();
  const { dial, daemon } = await start(t, { services: { quiet: guardedService(port) } }, { plane });
  const active = () => daemon.stats().quiet?.active_connections;
  const socket = dial('quiet');
  socket.end('question');
  const other = await asked.promise;
  socket.resetAndDestroy();
  while (plane.counters().open === 2) await turn();
  assert.equal(active(), 1);
  other.end();
  while (plane.counters().open > 0) await turn();
  assert.equal(active(), 0);
});

test('a connection is not idle while its client is active on another one', async (t) => {
  const { port } = await startUpstream(t, () => {});
  const plane = createNetPlane();
  const accepted = Promise.withResolvers<NetConnection>();
  const handlers = { accept: accepted.resolve, unattributed: assert.fail, fault: assert.fail };
  const listener = await plane.listen({ host: '127.0.0.1', port: 0 }, handlers);
  t.after(() => listener.close());
  connect(listener.endpoint.port, '127.0.0.1').on('error', () => {});
  const opened = Promise.withResolvers<NetConnection>();
  plane.connect({ ip: '127.0.0.1', port }, (outcome) => outcome.ok && opened.resolve(outcome.connection));
  const [client, server] = [await accepted.promise, await opened.promise];
  let checks = 0;
  const activeElsewhereAt = () => {
    checks += 1;
    return checks < 5 ? performance.now() : 0;
  };
  const { reason } = await new Promise<RelayResult>((ended) => {
    const limits = { idleMs: 20, totalMs: 0 };
    new LimitedRelay(plane, {
      client,
      upstream: server,
      limits,
      inspect: undefined,
      activeElsewhereAt,
      stalledBytes: new StalledBytes(new EndedMemory(() => {}), 1),
      owner: { ended, cut: assert.fail },
    });
  });
  assert.deepEqual([reason, checks], ['idle_timeout', 5]);
});

test('counts what it relays', async (t) => {
  const { port } = await startUpstream(t, (socket) => {
    received(socket).then(() => socket.end('four'));
  });
  const { dial, daemon, event } = await start(t, { services: { one: guardedService(port) } });
  const socket = dial('one');
  const answer = received(socket);
  socket.end('question');
  await answer;
  const { bytes_in, bytes_out, reason } = await event(() => true);
  assert.deepEqual({ bytes_in, bytes_out, reason }, { bytes_in: 8, bytes_out: 4, reason: 'closed' });
  const counts = { active_connections: 0, total_allowed: 1, total_blocked: 0, bytes_in: 8, bytes_out: 4 };
  assert.deepEqual(daemon.stats(), { one: counts });
});

test('relays to a Unix socket', async (t) => {
  const path = join(temporaryFolder(), 'upstream.sock');
  const server = createServer({ allowHalfOpen: true }, echo).listen(path);
  t.after(() => server.close());
  await once(server, 'listening');
  const service = guardedService(0, { upstream: `unix:${path}`, proxy_protocol: { send: 'v1' } });
  const missing = guardedService(0, { upstream: `unix:${path}.absent` });
  const { dial, event } = await start(t, { services: { socket: service, missing } });
  const socket = dial('socket');
  const answer = received(socket);
  socket.end('over a path');
  assert.match((await answer).bytes.toString(), /^PROXY TCP4 127\.0\.0\.1 127\.0\.0\.1 \d+ \d+\r\nover a path$/);
  assert.equal((await received(dial('missing'))).how, 'reset');
  assert.equal((await event(({ service: name }) => name === 'missing')).reason, 'upstream_unreachable');
});

test('relays over IPv6', async (t) => {
  const { port } = await startUpstream(t, echo, '::1');
  const service = guardedService(port, { listen: '[::1]:0', upstream: `[::1]:${port}` });
  const { dial, event } = await start(t, { services: { six: service } });
  const socket = dial('six', { host: '::1' });
  const answer = received(socket);
  socket.end('over IPv6');
  assert.equal((await answer).bytes.toString(), 'over IPv6');
  assert.equal((await event(() => true)).client_ip, '::1');
});
