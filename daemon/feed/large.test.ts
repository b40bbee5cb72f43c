/** Block lists of 100,000 decisions, in the pages in which the service writes them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { decision, type Reply, stream } from './fake-lapi.ts';
import { asks, run, startup, until } from './running-feed.ts';

const total = 100_000;
/** Rows that the service reads from its database in one go, and writes before it reads on. */
const pageRows = 30_000;

const address = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
const row = (index: number): string => JSON.stringify(decision(address(index), { id: index, uuid: `u-${index}` }));

function page(from: number): string {
  const rows = Array.from({ length: Math.min(pageRows, total - from) }, (_, index) => row(from + index));
  return (from > 0 ? ',' : '') + rows.join(',');
}

/** Made once: tests that wait for all of it wait for nothing else. */
const pages: readonly string[] = [
  '{"new": [',
  ...Array.from({ length: Math.ceil(total / pageRows) }, (_, index) => page(index * pageRows)),
  '], "deleted": []}',
];

/** Sends page after page, each when the one before has gone, and what `between` waits for. */
async function send(response: ServerResponse, between: (number: number) => Promise<unknown>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  for (const [number, text] of pages.entries()) {
    if (!response.write(text)) await once(response, 'drain');
    await between(number);
  }
  response.end();
}

/** Everything at a start-up, and nothing new after it. */
const full =
  (between: (number: number) => Promise<unknown>): Reply =>
  (request, response, body) => {
    if (!request.url?.includes('startup=true')) return stream([])(request, response, body);
    void send(response, between).catch(() => undefined);
  };

const atOnce = full(async () => undefined);

describe('of 100,000 decisions, the threat feed', { timeout: 300_000 }, () => {
  it('holds all, keeps them on disk and takes changes', async (t) => {
    const first = await run(t, atOnce);
    await until(() => first.feed.state().decisions === total);
    for (const index of [0, pageRows - 1, pageRows, total - 1])
      assert.equal(first.feed.covering(address(index))?.ip, address(index));
    assert.equal(first.feed.covering(address(total)), undefined);
    first.lapi.answer(stream([decision('192.0.2.1')], [decision(address(7), { duration: '-1s' })]));
    await until(() => first.feed.covering('192.0.2.1') !== undefined);
    assert.equal(first.feed.covering(address(7)), undefined);
    assert.equal(first.feed.state().decisions, total);
    await first.feed.close();
    const { feed } = await run(t, () => undefined, first.dataDir);
    assert.equal(feed.state().decisions, total);
    assert.ok(feed.covering(address(total - 1)));
  });

  it('enforces what it knew while an answer comes slowly', async (t) => {
    const { lapi, feed, clock } = await run(t, stream([decision('192.0.2.1')]));
    await until(() => feed.covering('192.0.2.1') !== undefined);
    const half = Promise.withResolvers<void>();
    const more = Promise.withResolvers<void>();
    lapi.answer(
      full(async (number) => {
        if (number !== 2) return;
        half.resolve();
        await more.promise;
      }),
    );
    clock.ahead = daemonBounds.feedResyncMs;
    await half.promise;
    assert.ok(feed.covering('192.0.2.1'));
    assert.equal(feed.state().decisions, 1);
    more.resolve();
    await until(() => feed.covering(address(total - 1)) !== undefined);
  });

  it('takes nothing of an answer that breaks off, and asks for everything', async (t) => {
    const { lapi, feed } = await run(t, atOnce);
    await until(() => feed.state().decisions === total && feed.state().status === 'healthy');
    lapi.answer((request, response) => {
      void send(response, async (number) => number === 2 && response.destroy()).catch(() => undefined);
      request.resume();
    });
    await until(() => feed.state().status === 'stale');
    assert.equal(feed.state().decisions, total);
    const asked = lapi.asked.length;
    lapi.answer(atOnce);
    await until(() => feed.state().status === 'healthy');
    await asks(lapi, 1);
    assert.ok(lapi.asked.slice(asked).includes(startup));
    assert.equal(feed.state().decisions, total);
  });
});
