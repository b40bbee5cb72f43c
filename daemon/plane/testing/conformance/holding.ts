/** Bytes of a client that the inspection holds until the relay is resumed. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Side } from '../../../inspectors/inspector.ts';
import type { ChunkVerdict, Connection, DataPlane } from '../../plane.ts';
import { received } from '../sockets.ts';
import { nextText, type Pair, relayPair, type Subject, test } from './rig.ts';

const lineFeed = 0x0a;

/** An inspection that passes one line of the client, then holds its bytes until the server has sent one byte. */
function lineByLine(opened: () => Pair) {
  let isHeld = false;
  const chunks: string[] = [];
  const inspect = (side: Side, chunk: Uint8Array): ChunkVerdict => {
    chunks.push(`${side} ${Buffer.from(chunk).toString()}`);
    if (side === 'server') {
      isHeld = false;
      opened().relay.resume();
      return 0;
    }
    const found = chunk.indexOf(lineFeed);
    if (!isHeld && found < 0) return 0; // the beginning of a line
    const end = isHeld ? 0 : found + 1;
    isHeld = true;
    return end === chunk.length ? 0 : { passedBytes: end, held: Uint8Array.from(chunk.subarray(end)) };
  };
  return { inspect, chunks };
}

async function open<C extends Connection>(t: TestContext, plane: DataPlane<C>) {
  const { inspect, chunks } = lineByLine(() => pair);
  const pair: Pair = await relayPair(t, plane, { inspect });
  return { ...pair, chunks };
}

function orderTests<C extends Connection>({ create }: Subject<C>): void {
  test('relays held bytes one line after each answer, in order and complete', async (t) => {
    const { client, upstream, relay } = await open(t, create());
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index} ${'x'.repeat(index)}\n`);
    client.write(lines.join(''));
    for (const line of lines) {
      assert.equal(await nextText(upstream, line.length), line);
      upstream.write('.');
    }
    assert.equal(await nextText(client, lines.length), '.'.repeat(lines.length));
    assert.equal(relay.bytesIn(), lines.join('').length);
  });

  test('reads no more of a client while its bytes are held', async (t) => {
    const { client, upstream, chunks } = await open(t, create());
    client.write('one\ntwo\n');
    assert.equal(await nextText(upstream, 4), 'one\n');
    const rest = '\n'.repeat(20_000_000);
    client.write(rest);
    upstream.write('.');
    assert.equal(await nextText(upstream, 4), 'two\n');
    assert.ok(chunks.join('').length < 1_000_000);
    assert.ok(client.writableLength > 0);
  });

  test('an end of the client behind held bytes reaches the upstream after them', async (t) => {
    const { client, upstream, ended } = await open(t, create());
    client.end('one\ntwo\n');
    assert.equal(await nextText(upstream, 4), 'one\n');
    upstream.write('.');
    const { bytes } = await received(upstream);
    assert.equal(bytes.toString(), 'two\n');
    upstream.end();
    assert.equal((await received(client)).bytes.toString(), '.');
    assert.equal(await ended, 'closed');
  });
}

function peekedTests<C extends Connection>({ create }: Subject<C>): void {
  for (const isEnded of [false, true])
    test(`holds peeked bytes${isEnded ? ' of a client that has finished sending' : ''}`, async (t) => {
      const plane = create();
      const { inspect } = lineByLine(() => pair);
      const beforeConnect = async (connection: C, socket: Pair['client']) => {
        if (isEnded) socket.end('one\ntwo\n');
        else socket.write('one\ntwo\n');
        const isEnough = (bytes: Uint8Array) => !isEnded && bytes.length === 8;
        await connection.peek({ limit: 100, timeoutMs: 60_000, isEnough });
      };
      const pair: Pair = await relayPair(t, plane, { inspect, beforeConnect, passedBytes: 4 });
      assert.equal(await nextText(pair.upstream, 4), 'one\n');
      assert.equal(pair.relay.bytesIn(), 4);
      pair.upstream.write('.');
      assert.equal(await nextText(pair.upstream, 4), 'two\n');
      if (!isEnded) pair.client.end();
      pair.upstream.end();
      assert.equal(await pair.ended, 'closed');
    });
}

function endTests<C extends Connection>({ create }: Subject<C>): void {
  for (const how of ['end', 'resetAndDestroy'] as const)
    test(`the relay ends when the upstream calls ${how} while bytes are held`, async (t) => {
      const { client, upstream, ended } = await open(t, create());
      client.write('one\ntwo\n');
      assert.equal(await nextText(upstream, 4), 'one\n');
      upstream[how]();
      const { bytes } = await received(client);
      assert.equal(bytes.toString(), '');
      client.end();
      assert.match(await ended, /^(?:closed|upstream_lost)$/);
    });

  test('the relay ends when bytes are held after the upstream has finished sending', async (t) => {
    const { client, upstream, ended } = await open(t, create());
    upstream.end();
    await received(client);
    client.end('one\ntwo\n');
    assert.match(await ended, /^(?:closed|upstream_lost)$/);
  });

  test('the relay ends when the client is reset while its bytes are held', async (t) => {
    const { client, upstream, ended } = await open(t, create());
    client.write('one\ntwo\n');
    assert.equal(await nextText(upstream, 4), 'one\n');
    client.resetAndDestroy();
    assert.equal(await ended, 'client_lost');
  });
}

export function holdingTests<C extends Connection>(subject: Subject<C>): void {
  orderTests(subject);
  peekedTests(subject);
  endTests(subject);
}
