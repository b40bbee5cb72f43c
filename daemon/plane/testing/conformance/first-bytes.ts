/** Connections before they are relayed: peek, skip, write, watch, discard. */
import assert from 'node:assert/strict';
import { until } from '../../../../platform/testing/until.ts';
import type { Connection, PeekOptions } from '../../plane.ts';
import { received } from '../sockets.ts';
import { acceptClient, nextText, relayPair, type Subject, test } from './rig.ts';

const minute = 60_000;
const header = 'PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n';
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const upTo = (end: string): PeekOptions => ({
  limit: 1000,
  timeoutMs: minute,
  isEnough: (bytes) => text(bytes).includes(end),
});

function peekTests<C extends Connection>({ create }: Subject<C>): void {
  test('a peek waits until the bytes are enough, and reports how many were not', async (t) => {
    const { connection, socket } = await acceptClient(t, create());
    const asked: [number, number][] = [];
    const peeked = connection.peek({
      ...upTo('!'),
      isEnough: (bytes, checkedLength) => {
        asked.push([bytes.length, checkedLength]);
        return text(bytes).includes('!');
      },
    });
    socket.write('one');
    await until(() => asked.length === 1);
    socket.write('two!');
    const { bytes, why } = await peeked;
    assert.deepEqual([text(bytes), why], ['onetwo!', 'enough']);
    assert.deepEqual([asked[0], asked.at(-1)?.[1]], [[3, 0], 3]);
    const again = await connection.peek(upTo('two'));
    assert.deepEqual([text(again.bytes), again.why], ['onetwo!', 'enough']);
  });

  test('a peek ends at its limit, at its time, with the direction and with the connection', async (t) => {
    const plane = create();
    const full = await acceptClient(t, plane);
    full.socket.write('12345');
    assert.equal((await full.connection.peek({ ...upTo('!'), limit: 5 })).why, 'full');
    const slow = await acceptClient(t, plane);
    assert.equal((await slow.connection.peek({ ...upTo('!'), timeoutMs: 20 })).why, 'timeout');
    const ended = await acceptClient(t, plane);
    ended.socket.end('half');
    const peeked = await ended.connection.peek(upTo('!'));
    assert.deepEqual([text(peeked.bytes), peeked.why], ['half', 'ended']);
    const lost = await acceptClient(t, plane);
    const losing = lost.connection.peek(upTo('!'));
    lost.socket.resetAndDestroy();
    assert.equal((await losing).why, 'lost');
    assert.equal((await lost.connection.peek(upTo('!'))).why, 'lost');
  });
}

function orderTests<C extends Connection>({ create }: Subject<C>): void {
  test('relays peeked bytes first, except those that were skipped', async (t) => {
    const { client, upstream, relay } = await relayPair(t, create(), {
      beforeConnect: async (connection, socket) => {
        socket.write(`${header}first`);
        await connection.peek(upTo('first'));
        connection.skip(header.length);
        assert.equal(text(connection.peeked()), 'first');
      },
    });
    client.end(' and more');
    assert.equal(text((await received(upstream)).bytes), 'first and more');
    assert.equal(relay.bytesIn(), 'first and more'.length);
  });

  test('relays an end that arrived with the peeked bytes', async (t) => {
    const { client, upstream, ended } = await relayPair(t, create(), {
      beforeConnect: async (connection, socket) => {
        socket.end('question');
        await connection.peek({ ...upTo('!'), limit: 100 });
      },
    });
    assert.deepEqual(await received(upstream), { bytes: Buffer.from('question'), how: 'end' });
    upstream.end('answer');
    assert.equal(text((await received(client)).bytes), 'answer');
    assert.equal(await ended, 'closed');
  });

  test('sends what was written to the upstream before the bytes of the client', async (t) => {
    const { client, upstream } = await relayPair(t, create(), {
      beforeConnect: async (connection, socket) => {
        socket.write('first');
        await connection.peek(upTo('first'));
      },
      beforeRelay: (far) => assert.equal(far.write(Buffer.from(header)), true),
    });
    client.end();
    assert.equal(text((await received(upstream)).bytes), `${header}first`);
  });
}

function watchTests<C extends Connection>({ create }: Subject<C>): void {
  test('a watch notices a client that closes, and one that ends without a byte', async (t) => {
    const plane = create();
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      const { connection, socket } = await acceptClient(t, plane);
      await new Promise<void>((gone) => {
        connection.watch(100, gone);
        socket[leave]();
      });
    }
  });

  test('a watch keeps bytes up to its limit, and its end leaves them', async (t) => {
    const { connection, socket } = await acceptClient(t, create());
    const stop = connection.watch(1000, assert.fail);
    socket.write('first');
    await until(() => connection.peeked().length === 5);
    socket.write(Buffer.alloc(1_000_000, 'x'));
    await until(() => connection.peeked().length >= 1000);
    stop();
    const kept = connection.peeked().length;
    assert.ok(kept < 200_000, `${kept} bytes are kept`);
    assert.equal(text(connection.peeked().subarray(0, 6)), 'firstx');
  });

  test('a watch does not give up a client that ended after its request', async (t) => {
    const { connection, socket } = await acceptClient(t, create());
    const stop = connection.watch(1000, assert.fail);
    socket.end('request');
    const { why } = await connection.peek(upTo('request')).finally(stop);
    assert.equal(why, 'enough');
  });
}

export function firstByteTests<C extends Connection>(subject: Subject<C>): void {
  const { create } = subject;
  peekTests(subject);
  orderTests(subject);
  watchTests(subject);

  test('a connection reports its addresses', async (t) => {
    for (const host of ['127.0.0.1', '::1']) {
      const { connection, socket } = await acceptClient(t, create(), host);
      assert.deepEqual({ ...connection.remote }, { ip: host, port: socket.localPort });
      assert.deepEqual({ ...connection.local }, { ip: host, port: socket.remotePort });
    }
  });

  test('close sends what was written, and reset resets', async (t) => {
    const plane = create();
    const closing = await acceptClient(t, plane);
    assert.equal(closing.connection.write(Buffer.from('last words')), true);
    closing.connection.end('close');
    assert.deepEqual(await received(closing.socket), { bytes: Buffer.from('last words'), how: 'end' });
    const resetting = await acceptClient(t, plane);
    resetting.connection.end('reset');
    assert.equal((await received(resetting.socket)).how, 'reset');
  });

  test('a write reports a client that does not drain', async (t) => {
    const { connection } = await acceptClient(t, create());
    const bytes = Buffer.alloc(65_536);
    let written = 0;
    while (connection.write(bytes)) {
      written += bytes.length;
      assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`);
      await new Promise(setImmediate);
    }
    assert.equal(connection.write(bytes), false);
  });

  test('discarding input notices the end of the other side', async (t) => {
    const plane = create();
    const { connection, socket } = await acceptClient(t, plane);
    connection.discard();
    socket.write(Buffer.alloc(1_000_000));
    await nextText(socket, connection.write(Buffer.from('x')) ? 1 : 0);
    socket.end();
    await new Promise<void>((gone) => connection.onGone(gone));
    await until(() => plane.counters().open === 0);
  });

  test('reports once that a connection is closed, also when it is closed already', async (t) => {
    const { connection, socket } = await acceptClient(t, create());
    let count = 0;
    connection.onGone(() => {
      count += 1;
    });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    connection.end('reset');
    socket.resume();
    await closed;
    await new Promise<void>((gone) => connection.onGone(gone));
    assert.equal(count, 1);
  });
}
