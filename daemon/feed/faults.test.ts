import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { decision, jsonReply, type Reply, streamReply } from './testing/fake-lapi.ts';
import { run, startupRequest, untilRequests } from './testing/running-feed.ts';

const broken: Record<string, Reply> = {
  'a 403': jsonReply({ message: 'access forbidden' }, 403),
  'a 500': jsonReply({ message: 'boom' }, 500),
  'a page of HTML': (_request, response) => response.end('<html></html>'),
  'an object without lists': jsonReply({}),
  'a truncated response': (_request, response) =>
    response.end('{"new": [], "deleted": [{"scope":"Ip","value":"192.0.2.1"'),
  'a connection that breaks': (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"new": [], "deleted": [');
    setImmediate(() => response.destroy());
  },
  'a redirect': (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
};

describe('the threat feed with a failing LAPI', () => {
  for (const [name, reply] of Object.entries(broken))
    it(`lifts nothing after ${name}, and then requests everything`, async (t) => {
      const { lapi, feed } = await run(t, streamReply([decision('192.0.2.1')]));
      await until(() => feed.state().decisions === 1);
      lapi.answer(reply);
      await until(() => feed.state().status === 'stale');
      assert.ok(feed.covering('192.0.2.1'));
      assert.deepEqual(feed.problems(), [`threat feed: stale: ${feed.state().lastError}`]);
      assert.notEqual(feed.state().lastError, null);
      assert.doesNotMatch(String(feed.state().lastError), /boom|html/);
      const before = lapi.requests.length;
      lapi.answer(streamReply([decision('192.0.2.1'), decision('192.0.2.2')]));
      await until(() => feed.state().status === 'healthy');
      assert.deepEqual([feed.state().decisions, feed.problems()], [2, []]);
      assert.equal(lapi.requests.filter((one) => one.includes('elsewhere')).length, 0);
      assert.ok(lapi.requests.slice(before).includes(startupRequest));
    });

  it('reports that it is stale, again each hour, and again after it was healthy', async (t) => {
    const { lapi, feed, clock, said } = await run(t, jsonReply({}, 500));
    const reports = () => said.filter((message) => message.startsWith('threat feed: stale: ')).length;
    await until(() => feed.state().status === 'stale');
    await untilRequests(lapi, 3);
    assert.equal(reports(), 1);
    clock.ahead += daemonBounds.feedReminderMs;
    await until(() => reports() === 2);
    lapi.answer(streamReply([]));
    await until(() => feed.state().status === 'healthy');
    lapi.answer(jsonReply({}, 500));
    await until(() => reports() === 3);
  });

  it('stops while a response is in flight', async (t) => {
    const { feed, lapi } = await run(t, () => undefined);
    await untilRequests(lapi, 1);
    await feed.close();
    assert.equal(feed.state().status, 'starting');
  });
});

describe('the threat feed with full responses', () => {
  it('rejects a response that halves its decisions until several responses agree', async (t) => {
    const many = Array.from({ length: 100 }, (_, index) => decision(`198.51.100.${index}`));
    const { lapi, feed, clock } = await run(t, streamReply(many));
    await until(() => feed.state().decisions === 100);
    lapi.answer((request, response, body) =>
      streamReply(request.url?.includes('startup=true') ? [decision('192.0.2.1')] : [])(request, response, body),
    );
    clock.ahead = daemonBounds.feedResyncMs;
    await until(() => feed.state().status === 'stale');
    await untilRequests(lapi, 3);
    assert.equal(feed.state().decisions, 101);
    assert.match(String(feed.state().lastError), /lacks more than half/);
    clock.ahead += daemonBounds.feedDoubtMs;
    await until(() => feed.state().decisions === 1);
    assert.ok(feed.covering('192.0.2.1'));
    await until(() => feed.state().status === 'healthy');
  });

  it('accepts a full response at once when it lists the deletions', async (t) => {
    const { lapi, feed, clock } = await run(t, streamReply([decision('192.0.2.1'), decision('192.0.2.2')]));
    await until(() => feed.state().decisions === 2);
    const gone = ['192.0.2.1', '192.0.2.2'].map((ip) => decision(ip, { duration: '-1h' }));
    lapi.answer((request, response, body) =>
      streamReply([], request.url?.includes('startup=true') ? gone : [])(request, response, body),
    );
    clock.ahead = daemonBounds.feedResyncMs;
    await until(() => feed.state().decisions === 0);
    assert.equal(feed.state().status, 'healthy');
  });
});

describe('the threat feed with short full responses', () => {
  it('rejects responses that disagree', async (t) => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => decision(`198.51.${index >> 8}.${index & 255}`));
    const { lapi, feed, clock } = await run(t, streamReply(many(1000)));
    await until(() => feed.state().decisions === 1000 && feed.state().status === 'healthy');
    const sizes = [0, 200, 400, 0, 200, 400];
    lapi.answer((request, response, body) => {
      if (!request.url?.includes('startup=true')) return streamReply([])(request, response, body);
      clock.ahead += daemonBounds.feedDoubtMs;
      return streamReply(many(sizes.shift() ?? 1000))(request, response, body);
    });
    clock.ahead = daemonBounds.feedResyncMs;
    await until(() => sizes.length === 0 && feed.state().status === 'healthy');
    assert.equal(feed.state().decisions, 1000);
  });

  it('believes short responses with a few new decisions in each', async (t) => {
    const old = Array.from({ length: 20 }, (_, index) => decision(`198.51.100.${index}`));
    const { lapi, feed, clock } = await run(t, streamReply(old));
    await until(() => feed.state().decisions === 20);
    let added = 0;
    lapi.answer((request, response, body) => {
      if (!request.url?.includes('startup=true')) return streamReply([])(request, response, body);
      const fresh = Array.from({ length: added++ }, (_, index) => decision(`192.0.2.${index}`));
      clock.ahead += daemonBounds.feedDoubtMs - 60_000;
      return streamReply(fresh)(request, response, body);
    });
    clock.ahead = daemonBounds.feedResyncMs;
    await until(() => added > 3 || feed.covering('198.51.100.0') === undefined);
    assert.equal(feed.covering('198.51.100.0'), undefined);
    assert.equal(feed.state().decisions, 2);
  });

  it('finds decisions that were removed without a deletion, in its regular full requests', async (t) => {
    const { lapi, feed, clock } = await run(t, streamReply([decision('192.0.2.1'), decision('192.0.2.2')]));
    await until(() => feed.state().decisions === 2);
    lapi.answer((request, response, body) =>
      streamReply(request.url?.includes('startup=true') ? [decision('192.0.2.1')] : [])(request, response, body),
    );
    await untilRequests(lapi, 3);
    assert.equal(feed.state().decisions, 2);
    clock.ahead = daemonBounds.feedResyncMs;
    await until(() => feed.state().decisions === 1);
  });
});

describe('the threat feed after the clock was set back', () => {
  it('waits no longer for full responses to agree', async (t) => {
    const { lapi, feed, clock } = await run(t, streamReply([decision('192.0.2.1'), decision('192.0.2.2')]));
    await until(() => feed.state().decisions === 2);
    lapi.answer(streamReply([]));
    clock.ahead = daemonBounds.feedResyncMs;
    await until(() => feed.state().status === 'stale');
    clock.ahead = -24 * 3_600_000;
    await untilRequests(lapi, 4);
    assert.equal(feed.state().decisions, 2);
    clock.ahead += daemonBounds.feedDoubtMs;
    await until(() => feed.state().decisions === 0);
  });
});

describe('the threat feed with excessive decisions', () => {
  it('does not enforce a decision on too wide a network, and reports it', async (t) => {
    const wide = ['0.0.0.0/0', '::/0', '10.0.0.0/7', '2000::/3'].map((value) => ({
      ...decision(value),
      scope: 'Range',
    }));
    const { feed, lapi, said } = await run(t, streamReply([...wide, decision('192.0.2.1')]));
    await until(() => feed.state().decisions > 0);
    assert.equal(feed.state().decisions, 1);
    for (const ip of ['198.51.100.1', '10.0.0.1', '2001:db8::1']) assert.equal(feed.covering(ip), undefined);
    assert.match(said.join('\n'), /4 decisions .*too wide/);
    await untilRequests(lapi, 4);
    assert.equal(said.filter((line) => line.includes('too wide')).length, 1, 'the same number is not repeated');
  });

  it('enforces as many decisions as it keeps, the longest of equal ones, and reports the others', async (t) => {
    const { feed, said } = await run(t, (_request, response) => {
      const row = (index: number, duration: string) =>
        `{"scope":"ip","type":"ban","value":"10.${index >> 16}.${(index >> 8) & 255}.${index & 255}","duration":"${duration}"},`;
      const rows = Array.from({ length: daemonBounds.feedDecisions + 2 }, (_, index) => row(index, '1h'));
      response.end(`{"new": [${rows.join('')}${row(0, '2h').slice(0, -1)}], "deleted": []}`);
    });
    await until(() => feed.state().decisions > 0 && feed.state().status === 'healthy');
    assert.equal(feed.state().decisions, daemonBounds.feedDecisions);
    assert.match(said.join('\n'), /threat feed: 2 decisions are not enforced: the table is full/);
    const [first, second] = ['10.0.0.0', '10.0.0.1'].map((ip) => feed.covering(ip)?.expiresAt);
    assert.equal((first ?? 0) - (second ?? 0), 3_600_000);
  });

  it('refuses a response with too many deletions', async (t) => {
    const { feed, lapi } = await run(t, streamReply([decision('192.0.2.1')]));
    await until(() => feed.state().decisions === 1);
    lapi.answer((_request, response) => {
      response.write('{"new": [], "deleted": [');
      const rows = Array.from({ length: daemonBounds.feedDecisions + 1 }, (_, index) => index);
      response.write(rows.map((index) => `{"scope":"ip","type":"${index}","value":"192.0.2.1"},`).join(''));
      response.end('{"scope":"ip","type":"ban","value":"192.0.2.1"}]}');
    });
    await until(() => feed.state().lastError !== null);
    assert.match(String(feed.state().lastError), /deletes more/);
    assert.ok(feed.covering('192.0.2.1'));
  });
});
