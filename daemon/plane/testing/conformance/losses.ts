/** Connections that fail while bytes are buffered. An incomplete transfer must not look complete. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../../platform/testing/until.ts';
import type { Connection, RelayEnd } from '../../plane.ts';
import { received } from '../sockets.ts';
import { isEndAcknowledged } from '../tcp-state.ts';
import { fillSocket } from './flow.ts';
import { acceptClient, connectOutcome, nextText, relayPair, type Subject, test, upstreamAt } from './rig.ts';

const megabyte = 1024 * 1024;
/**
 * Numbers of bytes to try until one fits into all buffers together, but not into those between relay and upstream. The
 * test is skipped when none does.
 */
const sizes = [4, 3.5, 3, 2.5, 5, 2].map((count) => count * megabyte);

async function endArrives(socket: Socket): Promise<boolean> {
  for (let turn = 0; turn < 100 && !isEndAcknowledged(socket); turn += 1) await sleep(10);
  return isEndAcknowledged(socket);
}

function unixTests<C extends Connection>({ create }: Subject<C>): void {
  test('ends an upstream on a Unix socket whose client resets', async (t) => {
    const { client, upstream, ended } = await relayPair(t, create(), { over: 'unix' });
    client.write('x');
    await nextText(upstream, 1);
    client.resetAndDestroy();
    assert.equal((await received(upstream)).how, 'end', 'Unix sockets have no reset');
    assert.equal(await ended, 'client_lost');
  });

  test('stop ends an upstream on a Unix socket', async (t) => {
    const { client, upstream, relay, ended } = await relayPair(t, create(), { over: 'unix' });
    relay.stop('reset');
    assert.equal((await received(upstream)).how, 'end');
    assert.equal((await received(client)).how, 'reset');
    assert.equal(await ended, 'stopped');
  });
}

function writeTests<C extends Connection>({ create }: Subject<C>): void {
  for (const gone of ['client', 'upstream'] as const) {
    test(`resets the other side of the ${gone} that resets while its bytes wait, also when a write notices it`, async (t) => {
      const { client, upstream, ended } = await relayPair(t, create());
      const [lost, other] = gone === 'client' ? [client, upstream] : [upstream, client];
      await fillSocket(lost);
      lost.resetAndDestroy();
      other.write('x');
      assert.equal((await received(other)).how, 'reset');
      assert.equal(await ended, `${gone}_lost`);
    });

    test(`notices the reset of the ${gone} while bytes of both sides wait`, async (t) => {
      const { client, upstream, ended } = await relayPair(t, create());
      const [lost, other] = gone === 'client' ? [client, upstream] : [upstream, client];
      await fillSocket(other);
      await fillSocket(lost);
      lost.resetAndDestroy();
      assert.equal(await ended, `${gone}_lost`);
    });
  }

  test('relays a response that precedes the reset of an upstream that does not read', async (t) => {
    const { client, upstream, ended } = await relayPair(t, create());
    await fillSocket(client);
    upstream.write('response');
    upstream.destroy(); // `upstream` has unread bytes
    assert.deepEqual(await received(client), { bytes: Buffer.from('response'), how: 'reset' });
    assert.equal(await ended, 'upstream_lost');
  });

  test('a write before the relay does not hide that the upstream is gone', async (t) => {
    const plane = create();
    const { promise: isReset, resolve } = Promise.withResolvers<void>();
    const address = await upstreamAt(t, 'ipv4', (socket) => {
      socket.resetAndDestroy();
      resolve();
    });
    const { connection, socket } = await acceptClient(t, plane);
    const outcome = await connectOutcome(plane, address);
    await isReset;
    if (!outcome.ok) return; // the reset arrived while connecting
    outcome.connection.write(Buffer.from('header'));
    const ended = new Promise<RelayEnd>((resolve) =>
      plane.relay(connection, outcome.connection, { inspect: undefined, ended: resolve }),
    );
    assert.equal((await received(socket)).how, 'reset');
    assert.equal(await ended, 'upstream_lost');
  });
}

export function lossTests<C extends Connection>(subject: Subject<C>): void {
  const { create } = subject;
  unixTests(subject);
  writeTests(subject);

  test('takes the remaining bytes of an upload whose upstream has responded and is gone, so that the client gets the response', async (t) => {
    const { client, upstream, relay } = await relayPair(t, create());
    await fillSocket(client);
    upstream.end('response');
    await until(() => relay.bytesOut() === 8);
    await fillSocket(client); // until the sockets are full
    upstream.destroy();
    await until(() => client.writableLength === 0 || client.destroyed);
    assert.deepEqual(await received(client), { bytes: Buffer.from('response'), how: 'end' });
  });

  test('notices a reset that arrived before the last bytes of its side were read', async (t) => {
    for (const size of sizes) {
      const plane = create();
      const { client, upstream, relay } = await relayPair(t, plane);
      client.end(Buffer.alloc(size));
      await once(client, 'finish');
      if (!(await endArrives(client)) || relay.bytesIn() === size) continue;
      client.resetAndDestroy();
      assert.equal((await received(upstream)).bytes.length, size);
      await until(() => plane.counters().open === 0);
      return;
    }
    t.skip('no buffers of this system hold the end but not all bytes before it');
  });
}
