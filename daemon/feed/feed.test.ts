import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { decision, jsonReply, streamReply } from './testing/fake-lapi.ts';
import { deltaRequest, run, startupRequest, untilRequests } from './testing/running-feed.ts';

describe('the threat feed', () => {
  it('requests everything, then the changes', async (t) => {
    const { lapi, feed } = await run(t, streamReply([decision('192.0.2.1')]));
    await until(() => feed.state().decisions === 1);
    assert.equal(feed.covering('192.0.2.1')?.scenario, 'test');
    assert.equal(feed.covering('192.0.2.2'), undefined);
    lapi.answer(streamReply([decision('192.0.2.2')], [decision('192.0.2.1', { duration: '-2.870905ms' })]));
    await until(() => feed.covering('192.0.2.2') !== undefined);
    assert.equal(feed.covering('192.0.2.1'), undefined);
    assert.deepEqual(lapi.requests.slice(0, 2), [startupRequest, deltaRequest]);
    assert.equal(feed.state().status, 'healthy');
    assert.equal(feed.state().lastError, null);
  });

  it('accepts null for empty lists, and repeated deletions', async (t) => {
    const { lapi, feed } = await run(t, jsonReply({ deleted: null, new: [decision('192.0.2.1')] }));
    await until(() => feed.state().decisions === 1);
    lapi.answer(jsonReply({ deleted: null, new: null }));
    await untilRequests(lapi, 2);
    assert.equal(feed.state().decisions, 1);
    lapi.answer(streamReply(null, [decision('192.0.2.1', { id: 99, duration: '0s' }), decision('192.0.2.9')]));
    await untilRequests(lapi, 3);
    assert.equal(feed.state().decisions, 0);
    assert.equal(feed.state().status, 'healthy');
  });

  it('matches addresses and networks in every spelling', async (t) => {
    const { feed } = await run(
      t,
      streamReply([
        decision('192.0.2.77/24', { scope: 'ip' }),
        decision('::ffff:198.51.100.4', { scope: 'IP' }),
        decision('203.0.113.9/32', { scope: 'range' }),
        decision('2001:DB8:0:0::5/64', { scope: 'Range' }),
        decision('DE', { scope: 'Country' }),
        decision('not an address'),
        decision('192.0.2.256'),
      ]),
    );
    await until(() => feed.state().decisions > 0);
    const found = ['192.0.2.1', '::ffff:192.0.2.1', '198.51.100.4', '203.0.113.9', '2001:db8::ffff'];
    assert.deepEqual(
      found.map((ip) => feed.covering(ip)?.ip),
      ['192.0.2.0/24', '192.0.2.0/24', '198.51.100.4', '203.0.113.9', '2001:db8::/64'],
    );
    assert.equal(feed.covering('203.0.113.8'), undefined);
    assert.equal(feed.state().decisions, 4);
  });
});

describe('the threat feed with several decisions', () => {
  it('prefers a ban, then the longest decision', async (t) => {
    const { feed } = await run(
      t,
      streamReply([
        decision('192.0.2.1', { type: 'captcha', duration: '9h' }),
        decision('192.0.2.0/24', { scope: 'Range', scenario: 'wide', duration: '5h' }),
        decision('192.0.2.1', { scenario: 'short', duration: '1h' }),
        decision('192.0.2.1', { scenario: 'long', duration: '3h' }),
        decision('198.51.100.1', { type: 'throttle' }),
      ]),
    );
    await until(() => feed.state().decisions > 0);
    assert.equal(feed.covering('192.0.2.1')?.scenario, 'wide');
    assert.equal(feed.covering('198.51.100.1')?.type, 'throttle');
    assert.equal(feed.state().decisions, 4);
  });

  it('keeps the longer of two equal decisions, unless the longer was deleted', async (t) => {
    const { lapi, feed } = await run(t, streamReply([decision('192.0.2.1', { scenario: 'long', duration: '9h' })]));
    await until(() => feed.state().decisions === 1);
    const short = decision('192.0.2.1', { scenario: 'short', duration: '1h' });
    lapi.answer(streamReply([short]));
    await untilRequests(lapi, 2);
    assert.equal(feed.covering('192.0.2.1')?.scenario, 'long');
    lapi.answer(streamReply([short], [decision('192.0.2.1', { duration: '-1s' })]));
    await until(() => feed.covering('192.0.2.1')?.scenario === 'short');
  });

  it('keeps a decision when one on the same network in another spelling is deleted', async (t) => {
    const [here, there] = ['192.0.2.5/24', '192.0.2.0/24'].map((value) => decision(value, { scope: 'Range' }));
    const { lapi, feed } = await run(t, streamReply([here, there]));
    await until(() => feed.state().decisions > 0);
    lapi.answer(streamReply([decision('203.0.113.1')], [here]));
    await until(() => feed.covering('203.0.113.1') !== undefined);
    assert.ok(feed.covering('192.0.2.1'));
    lapi.answer(streamReply([], [there]));
    await until(() => feed.covering('192.0.2.1') === undefined);
  });

  it('applies a change of type', async (t) => {
    const { lapi, feed } = await run(t, streamReply([decision('192.0.2.1')]));
    await until(() => feed.state().decisions === 1);
    lapi.answer(
      streamReply([decision('192.0.2.1', { type: 'captcha' })], [decision('192.0.2.1', { duration: '-1s' })]),
    );
    await until(() => feed.covering('192.0.2.1')?.type === 'captcha');
    assert.equal(feed.state().decisions, 1);
  });
});

describe('decisions of the threat feed', () => {
  it('expire', async (t) => {
    const { lapi, feed, clock } = await run(t, streamReply([decision('192.0.2.1', { duration: '59m59.5s' })]));
    await until(() => feed.state().decisions === 1);
    lapi.answer(jsonReply({}, 500));
    clock.ahead = 3_590_000;
    assert.ok(feed.covering('192.0.2.1'));
    clock.ahead = 3_600_000;
    assert.equal(feed.covering('192.0.2.1'), undefined);
    assert.equal(feed.state().decisions, 0);
  });

  it('exclude those that have ended, are simulated or have no duration', async (t) => {
    const { feed } = await run(
      t,
      streamReply([
        decision('192.0.2.1', { duration: '-3s' }),
        decision('192.0.2.2', { duration: '0s' }),
        decision('192.0.2.3', { duration: 'long' }),
        decision('192.0.2.4', { simulated: true }),
        decision('192.0.2.5', { duration: undefined }),
        decision('192.0.2.7', { duration: '9999999999999h' }),
        decision('192.0.2.6'),
      ]),
    );
    await until(() => feed.state().decisions > 0);
    assert.deepEqual(
      feed.list({ limit: 10 }).decisions.map(({ ip }) => ip),
      ['192.0.2.6'],
    );
  });

  it('are listed in pages', async (t) => {
    const many = Array.from({ length: 25 }, (_, index) => decision(`192.0.2.${index}`));
    const { feed } = await run(t, streamReply(many));
    await until(() => feed.state().decisions === 25);
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = feed.list({ limit: 10, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.decisions.map(({ ip }) => ip));
      cursor = page.cursor;
    }
    assert.deepEqual(
      seen,
      many.map(({ value }) => value),
    );
  });
});
