/** What happens to a client while its upstream does not respond. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { createNetPlane } from '../plane/net/plane.ts';
import type { Connection } from '../plane/plane.ts';
import { guarded, start } from '../testing/daemon.ts';
import { hangingPort } from '../testing/hanging.ts';

/** A service whose upstream is tried for longer than any test lasts. */
async function hanging(t: TestContext) {
  const started = await start(t, {
    services: { far: guarded(await hangingPort(t), { timeouts: { connect: '1m' } }) },
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

test('keeps the bytes that a client sends meanwhile, up to their bound', async (t) => {
  const upstream = { host: '127.0.0.1', port: await hangingPort(t) };
  const plane = createNetPlane();
  const accepted = Promise.withResolvers<Connection>();
  const listener = await plane.listen(
    { host: '127.0.0.1', port: 0 },
    {
      accept: accepted.resolve,
      unattributed: assert.fail,
      fault: assert.fail,
    },
  );
  t.after(() => listener.close());
  const socket = connect(listener.endpoint.port, '127.0.0.1').on('error', () => {});
  const client = await accepted.promise;
  const outcome = new Promise((resolve) => plane.connect(upstream, 60_000, client, resolve));
  socket.write('first');
  while (client.peeked().length === 0) await turn();
  assert.equal(Buffer.from(client.peeked()).toString(), 'first');
  socket.write(Buffer.alloc(8 * 1024 * 1024));
  while (client.peeked().length < daemonBounds.firstBytes) await turn();
  assert.ok(client.peeked().length < daemonBounds.firstBytes + 2 ** 16);
  client.end('reset');
  assert.deepEqual(await outcome, { ok: false, why: 'gone' });
});
