/** Inspection of each direction, and bytes that are not inspected. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Side } from '../../../inspectors/inspector.ts';
import type { ChunkVerdict, Connection } from '../../plane.ts';
import { received } from '../sockets.ts';
import { nextText, relayPair, type Subject, test } from './rig.ts';

const length = 3_000_000;

/** A random number below `limit`. Its size varies by orders of magnitude. */
const anyBelow = (limit: number): number => Math.floor(Math.random() ** 4 * limit);

async function send(socket: Socket, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + anyBelow(200_000);
    socket.write(bytes.subarray(at, end));
    at = end;
    if (Math.random() < 0.5) await turn();
  }
  socket.end();
}

/** Returns an inspector that compares each chunk with `sent`, and then skips a random number of bytes. */
function inspectorOf(sent: Readonly<Record<Side, Buffer>>, most: number) {
  const at = { client: 0, server: 0 };
  const seen = { client: 0, server: 0 };
  const inspect = (side: Side, chunk: Uint8Array): ChunkVerdict => {
    const from = at[side];
    assert.equal(sent[side].subarray(from, from + chunk.length).equals(chunk), true, `the bytes from ${from}`);
    const unseen = most === 0 ? 0 : anyBelow(most);
    at[side] = from + chunk.length + unseen;
    seen[side] += chunk.length;
    return unseen;
  };
  return { inspect, at, seen };
}

function unseenTests<C extends Connection>({ create }: Subject<C>): void {
  for (const most of [0, 50, 1_000_000])
    test(`inspects both directions in order, with up to ${most} bytes unseen after each chunk`, async (t) => {
      const sent = { client: randomBytes(length), server: randomBytes(length) };
      const { inspect, at, seen } = inspectorOf(sent, most);
      const { client, upstream, relay } = await relayPair(t, create(), { inspect });
      const arriving = [received(upstream), received(client)];
      await Promise.all([send(client, sent.client), send(upstream, sent.server)]);
      const [up, down] = await Promise.all(arriving);
      assert.equal(up?.bytes.equals(sent.client), true);
      assert.equal(down?.bytes.equals(sent.server), true);
      assert.deepEqual([relay.bytesIn(), relay.bytesOut()], [length, length]);
      for (const side of ['client', 'server'] as const) {
        if (most === 0) assert.equal(seen[side], length);
        assert.ok(at[side] >= length, `bytes from ${at[side]} were not inspected`);
      }
    });

  test('inspects the bytes behind those that pass unseen, also in the same chunk', async (t) => {
    let seen = '';
    const inspect = (_side: Side, chunk: Uint8Array) => {
      seen += Buffer.from(chunk).toString();
      return seen === 'head' ? 10 : 0;
    };
    const { client, upstream } = await relayPair(t, create(), { inspect });
    client.write('head');
    await nextText(upstream, 4);
    client.write('0123456789tail');
    await nextText(upstream, 14);
    assert.equal(seen, 'headtail');
  });

  test('one direction can pass unseen while the other one is inspected', async (t) => {
    const seen: string[] = [];
    const inspect = (side: Side, chunk: Uint8Array) => {
      seen.push(`${side} ${Buffer.from(chunk).toString()}`);
      return side === 'server' ? Number.POSITIVE_INFINITY : 0;
    };
    const { client, upstream } = await relayPair(t, create(), { inspect });
    for (const word of ['one', 'two', 'six']) {
      upstream.write(word);
      await nextText(client, 3);
      client.write(word);
      await nextText(upstream, 3);
    }
    assert.deepEqual(seen, ['server one', 'client one', 'client two', 'client six']);
  });

  test('a direction can end within the bytes that pass unseen', async (t) => {
    const { client, upstream, ended } = await relayPair(t, create(), { inspect: () => 1_000_000 });
    client.write('first');
    await nextText(upstream, 5);
    client.end('last');
    assert.equal((await received(upstream)).bytes.toString(), 'last');
    upstream.end('answer');
    assert.equal((await received(client)).bytes.toString(), 'answer');
    assert.equal(await ended, 'closed');
  });
}

export function inspectionTests<C extends Connection>(subject: Subject<C>): void {
  const { create } = subject;
  unseenTests(subject);

  for (const side of ['client', 'server'] as const)
    test(`a chunk of the ${side} that is refused does not pass, and the relay ends`, async (t) => {
      const inspect = (from: Side, chunk: Uint8Array): ChunkVerdict =>
        from === side && Buffer.from(chunk).includes('bad') ? 'stop' : 0;
      const { client, upstream, ended } = await relayPair(t, create(), { inspect });
      const [from, to] = side === 'client' ? [client, upstream] : [upstream, client];
      from.write('good');
      await nextText(to, 4);
      from.write('bad');
      const { bytes } = await received(to);
      assert.equal(bytes.toString(), '');
      assert.equal(await ended, 'stopped');
    });

  test('an inspection can stop its relay itself', async (t) => {
    const inspect = (): ChunkVerdict => {
      opened.relay.stop('reset');
      return 'stop';
    };
    const opened = await relayPair(t, create(), { inspect });
    opened.client.write('bad');
    assert.equal((await received(opened.client)).how, 'reset');
    assert.equal(await opened.ended, 'stopped');
  });
}
