/** Lists of 100,000 decisions, in the pages that the LAPI writes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { decision, type Reply, streamReply } from './testing/fake-lapi.ts';
import { run, startupRequest, untilRequests } from './testing/running-feed.ts';

const total = 100_000;
/** The LAPI reads this many rows from its database, writes them, and continues. */
const pageRows = 30_000;

const address = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
const row = (index: number): string => JSON.stringify(decision(address(index), { id: index, uuid: `u-${index}` }));

function page(from: number): string {
  const rows = Array.from({ length: Math.min(pageRows, total - from) }, (_, index) => row(from + index));
  return (from > 0 ? ',' : '') + rows.join(',');
}

/** Built once, so that the tests measure only the transfer. */
const pages: readonly string[] = [
  '{"new": [',
  ...Array.from({ length: Math.ceil(total / pageRows) }, (_, index) => page(index * pageRows)),
  '], "deleted": []}',
];

/** Sends the pages one by one. Before the next page, it flushes the previous one and waits for `between`. */
async function send(response: ServerResponse, between: (number: number) => Promise<unknown>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  for (const [number, text] of pages.entries()) {
    if (!response.write(text)) await once(response, 'drain');
    await between(number);
  }
  response.end();
}

/** Replies with all pages to the startup request, and with nothing later. */
const full =
  (between: (number: number) => Promise<unknown>): Reply =>
  (request, response, body) => {
    if (!request.url?.includes('startup=true')) return streamReply([])(request, response, body);
    void send(response, between).catch(() => undefined);
  };

const atOnce = full(async () => undefined);

describe('the threat feed with 100,000 decisions', () => {
  it('enforces all, stores them on disk and applies changes', async (t) => {
    const first = await run(t, atOnce);
    await until(() => first.feed.state().decisions === total);
    for (const index of [0, pageRows - 1, pageRows, total - 1])
      assert.equal(first.feed.covering(address(index))?.ip, address(index));
    assert.equal(first.feed.covering(address(total)), undefined);
    first.lapi.answer(streamReply([decision('192.0.2.1')], [decision(address(7), { duration: '-1s' })]));
    await until(() => first.feed.covering('192.0.2.1') !== undefined);
    assert.equal(first.feed.covering(address(7)), undefined);
    assert.equal(first.feed.state().decisions, total);
    await first.feed.close();
    const { feed } = await run(t, () => undefined, first.dataDir);
    assert.equal(feed.state().decisions, total);
    assert.ok(feed.covering(address(total - 1)));
  });

  it('enforces the previous decisions while a response arrives slowly', async (t) => {
    const { lapi, feed, clock } = await run(t, streamReply([decision('192.0.2.1')]));
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

  it('applies nothing of a truncated response, and requests everything again', async (t) => {
    const { lapi, feed } = await run(t, atOnce);
    await until(() => feed.state().decisions === total && feed.state().status === 'healthy');
    lapi.answer((request, response) => {
      void send(response, async (number) => number === 2 && response.destroy()).catch(() => undefined);
      request.resume();
    });
    await until(() => feed.state().status === 'stale');
    assert.equal(feed.state().decisions, total);
    const asked = lapi.requests.length;
    lapi.answer(atOnce);
    await until(() => feed.state().status === 'healthy');
    await untilRequests(lapi, 1);
    assert.ok(lapi.requests.slice(asked).includes(startupRequest));
    assert.equal(feed.state().decisions, total);
  });
});
