/** How the ends of connections pass through a relay. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { until } from '../../../../platform/testing/until.ts';
import type { Connection } from '../../plane.ts';
import { received } from '../sockets.ts';
import { fillSocket } from './flow.ts';
import { nextText, relayPair, type Subject, test } from './rig.ts';

const lateBytes = randomBytes(1_000_000);

function halfCloseTests<C extends Connection>({ create }: Subject<C>): void {
  for (const over of ['ipv4', 'ipv6', 'unix'] as const)
    test(`relays both directions, upstream over ${over}`, async (t) => {
      const { client, upstream, relay, ended } = await relayPair(t, create(), { over });
      client.end('question');
      assert.deepEqual(await received(upstream), { bytes: Buffer.from('question'), how: 'end' });
      upstream.end(lateBytes);
      assert.deepEqual(await received(client), { bytes: lateBytes, how: 'end' });
      assert.deepEqual([await ended, relay.bytesIn(), relay.bytesOut()], ['closed', 8, lateBytes.length]);
    });

  test('keeps the direction of the client open after the upstream has ended its own', async (t) => {
    const { client, upstream, relay, ended } = await relayPair(t, create());
    upstream.end('done');
    assert.deepEqual(await received(client), { bytes: Buffer.from('done'), how: 'end' });
    client.end(lateBytes);
    assert.deepEqual(await received(upstream), { bytes: lateBytes, how: 'end' });
    assert.deepEqual([await ended, relay.bytesIn(), relay.bytesOut()], ['closed', lateBytes.length, 4]);
  });
}

function stopTests<C extends Connection>({ create }: Subject<C>): void {
  for (const how of ['close', 'reset'] as const)
    test(`stop with ${how} resets the upstream and ends the client`, async (t) => {
      const { client, upstream, relay, ended } = await relayPair(t, create());
      client.write('x');
      await nextText(upstream, 1);
      relay.stop(how);
      assert.equal((await received(upstream)).how, 'reset');
      assert.equal((await received(client)).how, how === 'close' ? 'end' : 'reset');
      assert.equal(await ended, 'stopped');
    });

  test('a stop while the client does not read resets it, because its data is incomplete', async (t) => {
    const { client, upstream, relay, ended } = await relayPair(t, create());
    await fillSocket(upstream);
    relay.stop('close');
    assert.equal(await ended, 'stopped');
    assert.equal((await received(client)).how, 'reset');
  });
}

export function endTests<C extends Connection>(subject: Subject<C>): void {
  const { create } = subject;
  halfCloseTests(subject);
  stopTests(subject);

  test('relays single bytes in both directions', async (t) => {
    const { client, upstream } = await relayPair(t, create());
    for (const byte of lateBytes.subarray(0, 300)) {
      client.write(Uint8Array.of(byte));
      upstream.write(await nextText(upstream, 1), 'latin1');
      assert.equal((await nextText(client, 1)).charCodeAt(0), byte);
    }
  });

  for (const gone of ['client', 'upstream'] as const)
    test(`resets the other side of the ${gone} that resets`, async (t) => {
      const { client, upstream, ended } = await relayPair(t, create());
      const [lost, other] = gone === 'client' ? [client, upstream] : [upstream, client];
      lost.write('x');
      await nextText(other, 1);
      lost.resetAndDestroy();
      assert.equal((await received(other)).how, 'reset');
      assert.equal(await ended, `${gone}_lost`);
    });

  test('notices the reset of a side that had ended its direction', async (t) => {
    const plane = create();
    const { client, upstream } = await relayPair(t, plane);
    client.end('question');
    assert.equal((await received(upstream)).how, 'end');
    client.resetAndDestroy();
    await until(() => plane.counters().open < 2);
    upstream.end();
    await until(() => plane.counters().open === 0);
  });
}
