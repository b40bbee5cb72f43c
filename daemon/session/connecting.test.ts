/** Clients whose upstream does not respond, or has several addresses. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { createNetPlane } from '../plane/net/plane.ts';
import type { Connection } from '../plane/plane.ts';
import { hangingPort } from '../plane/testing/hanging.ts';
import { guardedService, start } from '../testing/daemon.ts';
import { Connecting, type UpstreamOutcome } from './connecting.ts';
import type { Resolve } from './resolver.ts';

/** Starts a service that tries its hanging upstream for longer than any test lasts. */
async function hanging(t: TestContext) {
  const started = await start(t, {
    services: { far: guardedService(await hangingPort(t), { timeouts: { connect: '1m' } }) },
  });
  const isOpen = async (count: number) => {
    while (started.daemon.stats().far?.active_connections !== count) await turn();
  };
  return { ...started, isOpen };
}

test('gives up the upstream of a client that closes', async (t) => {
  const { dial, event, isOpen } = await hanging(t);
  const closing = [dial('far'), dial('far')];
  await isOpen(2);
  closing[0]?.end();
  closing[1]?.write('x', () => closing[1]?.resetAndDestroy());
  await isOpen(0);
  assert.equal((await event(({ action }) => action === 'allowed')).reason, 'closed_early');
});

test('a client that ends its direction after its request waits for the upstream', async (t) => {
  const { dial, isOpen } = await hanging(t);
  dial('far').end('request');
  const other = dial('far');
  await isOpen(2);
  other.end();
  await isOpen(1);
});

/** A client of a plane, and a function that connects it to an upstream with these addresses. */
async function connecting(t: TestContext, port: number, addresses: readonly string[]) {
  const plane = createNetPlane();
  const accepted = Promise.withResolvers<Connection>();
  const handlers = { accept: accepted.resolve, unattributed: assert.fail, fault: assert.fail };
  const listener = await plane.listen({ host: '127.0.0.1', port: 0 }, handlers);
  t.after(() => listener.close());
  const socket = connect(listener.endpoint.port, '127.0.0.1').on('error', () => {});
  const client = await accepted.promise;
  t.after(() => client.end('reset'));
  const resolve: Resolve = (_host, done) => done(addresses);
  const outcome = (timeoutMs: number) =>
    new Promise<UpstreamOutcome<Connection>>((settle) => {
      const attempt = new Connecting({ plane, resolve }, client, { host: 'upstream.example', port }, settle, () => {});
      client.onGone(() => attempt.abandon());
      attempt.start(timeoutMs);
    });
  return { plane, client, socket, outcome };
}

test('keeps the bytes that a client sends meanwhile, up to their bound', async (t) => {
  const { client, socket, outcome } = await connecting(t, await hangingPort(t), ['127.0.0.1']);
  const ended = outcome(60_000);
  socket.write('first');
  await until(() => client.peeked().length > 0);
  assert.equal(Buffer.from(client.peeked()).toString(), 'first');
  socket.write(Buffer.alloc(8 * 1024 * 1024));
  await until(() => client.peeked().length >= daemonBounds.firstBytes);
  assert.ok(client.peeked().length < daemonBounds.firstBytes + 2 ** 16);
  client.end('reset');
  assert.deepEqual(await ended, { ok: false, why: 'gone' });
});

test('tries the addresses of an upstream in order, and gives up one that does not respond', async (t) => {
  const port = await hangingPort(t);
  const server = createServer((arrived) => arrived.on('error', () => {})).listen(port, '127.0.0.3');
  await once(server, 'listening');
  t.after(() => server.close());
  const { plane, outcome } = await connecting(t, port, ['127.0.0.2', '127.0.0.1', '127.0.0.3']);
  const result = await outcome(60_000);
  assert.ok(result.ok);
  assert.equal(result.connection.remote.ip, '127.0.0.3');
  result.connection.end('reset');
  await until(() => plane.counters().open === 1);
});

test('reports why the first address failed, and that a name has none', async (t) => {
  const port = await hangingPort(t);
  const last = await connecting(t, port, ['127.0.0.2', '127.0.0.1']);
  assert.deepEqual(await last.outcome(200), { ok: false, why: 'timeout' });
  const refused = await connecting(t, port, ['127.0.0.2', '127.0.0.4']);
  assert.deepEqual(await refused.outcome(60_000), { ok: false, why: 'refused' });
  const unknown = await connecting(t, port, []);
  assert.deepEqual(await unknown.outcome(60_000), { ok: false, why: 'unreachable' });
});
