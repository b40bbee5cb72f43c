/** Inspections that replace chunks. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { until } from '../../../../platform/testing/until.ts';
import type { Side } from '../../../inspectors/inspector.ts';
import type { ChunkVerdict, Connection } from '../../plane.ts';
import { received } from '../sockets.ts';
import { nextText, relayPair, type Subject } from './rig.ts';

const textOf = (chunk: Uint8Array): string => Buffer.from(chunk).toString('latin1');

export function replacingTests<C extends Connection>({ create }: Subject<C>): void {
  for (const instead of ['', 'shorter', 'longer than what it replaces'])
    test(`${instead.length} bytes pass in place of a chunk, and are counted`, async (t) => {
      const seen: string[] = [];
      const inspect = (side: Side, chunk: Uint8Array): ChunkVerdict => {
        const text = textOf(chunk);
        seen.push(`${side} ${text}`);
        return text === 'replace me' ? { instead: Buffer.from(instead) } : 0;
      };
      const { client, upstream, relay } = await relayPair(t, create(), { inspect });
      const sides = { client: [client, upstream], server: [upstream, client] } as const;
      for (const [side, [from, to]] of Object.entries(sides)) {
        from.write('first');
        await nextText(to, 5);
        from.write('replace me');
        await until(() => seen.at(-1) === `${side} replace me`);
        from.end('last');
        assert.equal(textOf((await received(to)).bytes), `${instead}last`);
      }
      const length = `first${instead}last`.length;
      assert.deepEqual([relay.bytesIn(), relay.bytesOut()], [length, length]);
    });

  test('only the inspected part of a chunk is replaced', async (t) => {
    const inspect = (_side: Side, chunk: Uint8Array): ChunkVerdict =>
      textOf(chunk) === 'head' ? 10 : { instead: Buffer.from('TAIL') };
    const { client, upstream } = await relayPair(t, create(), { inspect });
    client.write('head');
    await nextText(upstream, 4);
    client.write('0123456789tail');
    assert.equal(await nextText(upstream, 14), '0123456789TAIL');
    client.write('more');
    assert.equal(await nextText(upstream, 4), 'TAIL');
  });

  test('replacements reach a slow reader complete and in order', async (t) => {
    const sent = randomBytes(4_000_000);
    const expected = createHash('sha256');
    const inspect = (_side: Side, chunk: Uint8Array): ChunkVerdict => {
      const instead = Buffer.concat([chunk, chunk]);
      expected.update(instead);
      return { instead };
    };
    const { client, upstream, relay } = await relayPair(t, create(), { inspect });
    client.end(sent);
    await until(() => relay.bytesIn() > 1_000_000);
    const { bytes, how } = await received(upstream);
    assert.deepEqual([bytes.length, relay.bytesIn(), how], [2 * sent.length, 2 * sent.length, 'end']);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), expected.digest('hex'));
  });
}
