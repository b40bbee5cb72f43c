import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Daemon, daemonSchema } from '../../contract/daemon.ts';
import { decision, type FakeLapi, fakeLapi, json, type Reply, stream } from './fake-lapi.ts';
import type { ThreatFeed } from './feed.ts';
import { createFeed } from './index.ts';

const defaults: Daemon = daemonSchema().parse({ version: 1 });

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'guard-feed-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface Running {
  readonly lapi: FakeLapi;
  readonly feed: ThreatFeed;
  readonly dataDir: string;
  readonly said: string[];
  readonly clock: { ahead: number };
}

/** A feed that polls as fast as it can. */
async function run(t: TestContext, first: Reply, dataDir = folder(t)): Promise<Running> {
  const lapi = await fakeLapi(t, first);
  const said: string[] = [];
  const clock = { ahead: 0 };
  const threatfeed = {
    ...defaults.threatfeed,
    enabled: true,
    lapi_url: lapi.url,
    api_key: 'k',
    update_frequency: '5ms',
  };
  const feed = await createFeed({
    config: { ...defaults, threatfeed },
    dataDir,
    now: () => Date.now() + clock.ahead,
    log: (message) => said.push(message),
  });
  t.after(() => feed.close());
  return { lapi, feed, dataDir, said, clock };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(2);
}

/** Resolves when the feed has asked so many times more, and has taken the answer before the last. */
async function asks(lapi: FakeLapi, count: number): Promise<void> {
  const wanted = lapi.asked.length + count;
  await until(() => lapi.asked.length >= wanted);
}

const startup = 'GET /v1/decisions/stream?startup=true&scopes=ip,range';
const delta = 'GET /v1/decisions/stream?startup=false&scopes=ip,range';

describe('the threat feed', { timeout: 60_000 }, () => {
  it('asks for everything, then for what changed', async (t) => {
    const { lapi, feed } = await run(t, stream([decision('192.0.2.1')]));
    await until(() => feed.state().decisions === 1);
    assert.equal(feed.covering('192.0.2.1')?.scenario, 'test');
    assert.equal(feed.covering('192.0.2.2'), undefined);
    lapi.answer(stream([decision('192.0.2.2')], [decision('192.0.2.1', { duration: '-2.870905ms' })]));
    await until(() => feed.covering('192.0.2.2') !== undefined);
    assert.equal(feed.covering('192.0.2.1'), undefined);
    assert.deepEqual(lapi.asked.slice(0, 2), [startup, delta]);
    assert.equal(feed.state().status, 'healthy');
    assert.equal(feed.state().lastError, null);
  });

  it('takes null for empty lists, and deletions again and again', async (t) => {
    const { lapi, feed } = await run(t, json({ deleted: null, new: [decision('192.0.2.1')] }));
    await until(() => feed.state().decisions === 1);
    lapi.answer(json({ deleted: null, new: null }));
    await asks(lapi, 2);
    assert.equal(feed.state().decisions, 1);
    lapi.answer(stream(null, [decision('192.0.2.1', { id: 99, duration: '0s' }), decision('192.0.2.9')]));
    await asks(lapi, 3);
    assert.equal(feed.state().decisions, 0);
    assert.equal(feed.state().status, 'healthy');
  });

  it('knows addresses and networks however they are written', async (t) => {
    const { feed } = await run(
      t,
      stream([
        decision('192.0.2.77/24', { scope: 'ip' }),
        decision('::ffff:198.51.100.4', { scope: 'IP' }),
        decision('203.0.113.9/32', { scope: 'range' }),
        decision('2001:DB8:0:0::5/64', { scope: 'Range' }),
        decision('DE', { scope: 'Country' }),
        decision('no address'),
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

  it('prefers a ban, then what lasts longest', async (t) => {
    const { feed } = await run(
      t,
      stream([
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
    const { lapi, feed } = await run(t, stream([decision('192.0.2.1', { scenario: 'long', duration: '9h' })]));
    await until(() => feed.state().decisions === 1);
    const short = decision('192.0.2.1', { scenario: 'short', duration: '1h' });
    lapi.answer(stream([short]));
    await asks(lapi, 2);
    assert.equal(feed.covering('192.0.2.1')?.scenario, 'long');
    lapi.answer(stream([short], [decision('192.0.2.1', { duration: '-1s' })]));
    await until(() => feed.covering('192.0.2.1')?.scenario === 'short');
  });

  it('takes a change of type', async (t) => {
    const { lapi, feed } = await run(t, stream([decision('192.0.2.1')]));
    await until(() => feed.state().decisions === 1);
    lapi.answer(stream([decision('192.0.2.1', { type: 'captcha' })], [decision('192.0.2.1', { duration: '-1s' })]));
    await until(() => feed.covering('192.0.2.1')?.type === 'captcha');
    assert.equal(feed.state().decisions, 1);
  });

  it('lets decisions end by themselves', async (t) => {
    const { lapi, feed, clock } = await run(t, stream([decision('192.0.2.1', { duration: '59m59.5s' })]));
    await until(() => feed.state().decisions === 1);
    lapi.answer(json({}, 500));
    clock.ahead = 3_590_000;
    assert.ok(feed.covering('192.0.2.1'));
    clock.ahead = 3_600_000;
    assert.equal(feed.covering('192.0.2.1'), undefined);
    assert.equal(feed.state().decisions, 0);
  });

  it('never enforces what has ended, is simulated or has no duration', async (t) => {
    const { feed } = await run(
      t,
      stream([
        decision('192.0.2.1', { duration: '-3s' }),
        decision('192.0.2.2', { duration: '0s' }),
        decision('192.0.2.3', { duration: 'long' }),
        decision('192.0.2.4', { simulated: true }),
        decision('192.0.2.5', { duration: undefined }),
        decision('192.0.2.6'),
      ]),
    );
    await until(() => feed.state().decisions > 0);
    assert.deepEqual(
      feed.list({ limit: 10 }).decisions.map(({ ip }) => ip),
      ['192.0.2.6'],
    );
  });

  it('gives its decisions by pages', async (t) => {
    const many = Array.from({ length: 25 }, (_, index) => decision(`192.0.2.${index}`));
    const { feed } = await run(t, stream(many));
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

const broken: Record<string, Reply> = {
  'a 403': json({ message: 'access forbidden' }, 403),
  'a 500': json({ message: 'boom' }, 500),
  'a page of HTML': (_request, response) => response.end('<html></html>'),
  'an object without lists': json({}),
  'half an answer': (_request, response) => response.end('{"new": [], "deleted": [{"scope":"Ip","value":"192.0.2.1"'),
  'a connection that breaks': (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"new": [], "deleted": [');
    setImmediate(() => response.destroy());
  },
  'a redirect': (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
};

describe('when the service fails, the threat feed', { timeout: 60_000 }, () => {
  for (const [name, reply] of Object.entries(broken))
    it(`lifts nothing at ${name}, and asks for everything after it`, async (t) => {
      const { lapi, feed } = await run(t, stream([decision('192.0.2.1')]));
      await until(() => feed.state().decisions === 1);
      lapi.answer(reply);
      await until(() => feed.state().status === 'stale');
      assert.ok(feed.covering('192.0.2.1'));
      assert.notEqual(feed.state().lastError, null);
      assert.doesNotMatch(String(feed.state().lastError), /boom|html/);
      lapi.answer(stream([decision('192.0.2.1'), decision('192.0.2.2')]));
      await until(() => feed.state().status === 'healthy');
      assert.equal(feed.state().decisions, 2);
      assert.equal(lapi.asked.filter((one) => one.includes('elsewhere')).length, 0);
      assert.deepEqual([...new Set(lapi.asked.slice(-2))].includes(startup), true);
    });

  it('asks again for an answer that halves what it holds, and believes the third that agrees', async (t) => {
    const many = Array.from({ length: 100 }, (_, index) => decision(`198.51.100.${index}`));
    const { lapi, feed, clock } = await run(t, stream(many));
    await until(() => feed.state().decisions === 100);
    const asked = lapi.asked.length;
    let answers = 0;
    lapi.answer((request, response, body) => {
      const isFull = request.url?.includes('startup=true');
      if (isFull) answers++;
      if (isFull && answers < 3) assert.equal(feed.state().decisions >= 100, true);
      stream(isFull ? [decision('192.0.2.1')] : [])(request, response, body);
    });
    clock.ahead = 16 * 60_000;
    await until(() => feed.state().decisions === 1);
    assert.equal(answers, 3);
    assert.ok(feed.covering('192.0.2.1'));
    assert.equal(lapi.asked.slice(asked).filter((one) => one === startup).length, 3);
  });

  it('does not believe answers that disagree', async (t) => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => decision(`198.51.100.${index}`));
    const { lapi, feed, clock } = await run(t, stream(many(100)));
    await until(() => feed.state().decisions === 100);
    const sizes = [0, 20, 40, 0, 20, 40];
    lapi.answer((request, response, body) => {
      if (!request.url?.includes('startup=true')) return stream([])(request, response, body);
      return stream(many(sizes.shift() ?? 100))(request, response, body);
    });
    clock.ahead = 16 * 60_000;
    await until(() => sizes.length === 0 && feed.state().status === 'healthy');
    assert.equal(feed.state().decisions, 100);
  });

  it('finds what was erased without a word when it asks for everything from time to time', async (t) => {
    const { lapi, feed, clock } = await run(t, stream([decision('192.0.2.1'), decision('192.0.2.2')]));
    await until(() => feed.state().decisions === 2);
    lapi.answer((request, response, body) =>
      stream(request.url?.includes('startup=true') ? [decision('192.0.2.1')] : [])(request, response, body),
    );
    await asks(lapi, 3);
    assert.equal(feed.state().decisions, 2);
    clock.ahead = 16 * 60_000;
    await until(() => feed.state().decisions === 1);
  });

  it('ends while an answer is on its way', async (t) => {
    const { feed, lapi } = await run(t, () => undefined);
    await asks(lapi, 1);
    await feed.close();
    assert.equal(feed.state().status, 'starting');
  });
});

describe('across restarts, the threat feed', { timeout: 60_000 }, () => {
  const kept = 'threatfeed.jsonl';

  it('enforces what it knew while the service is away', async (t) => {
    const first = await run(t, stream([decision('192.0.2.1'), decision('2001:db8::/48', { scope: 'range' })]));
    await until(() => first.feed.state().decisions === 2);
    await first.feed.close();
    assert.equal(statSync(join(first.dataDir, kept)).mode & 0o777, 0o600);
    const { feed } = await run(t, json({}, 500), first.dataDir);
    assert.equal(feed.covering('192.0.2.1')?.origin, 'cscli');
    assert.ok(feed.covering('2001:db8::1'));
    await until(() => feed.state().status === 'stale');
    assert.equal(feed.state().decisions, 2);
  });

  it('forgets what ended in between', async (t) => {
    const first = await run(t, stream([decision('192.0.2.1', { duration: '1s' }), decision('192.0.2.2')]));
    await until(() => first.feed.state().decisions === 2);
    await first.feed.close();
    const lines = readFileSync(join(first.dataDir, kept), 'utf8');
    writeFileSync(join(first.dataDir, kept), lines.replace(/("expiresAt":)\d+/, '$11000'));
    const { feed } = await run(t, json({}, 500), first.dataDir);
    assert.equal(feed.state().decisions, 1);
    assert.ok(feed.covering('192.0.2.2'));
  });

  for (const [name, damage] of Object.entries({
    cut: (text: string) => text.slice(0, text.length / 2),
    'of another program': () => 'hello\n',
    empty: () => '',
    binary: () => '\0\0{"version":1}\n[]\n',
  }))
    it(`starts without a file that is ${name}, and says so`, async (t) => {
      const first = await run(t, stream([decision('192.0.2.1'), decision('192.0.2.2')]));
      await until(() => first.feed.state().decisions === 2);
      await first.feed.close();
      const path = join(first.dataDir, kept);
      writeFileSync(path, damage(readFileSync(path, 'utf8')));
      const { feed, said } = await run(t, stream([decision('192.0.2.1')]), first.dataDir);
      assert.match(said[0] ?? '', /decisions of the last run cannot be read/);
      await until(() => feed.state().decisions === 1);
    });

  it('goes on when the disk takes nothing', async (t) => {
    const { feed, said } = await run(t, stream([decision('192.0.2.1')]), '/proc/nowhere');
    await until(() => said.length > 0);
    assert.match(said.join(), /cannot be kept on disk \(ENOENT\)/);
    assert.ok(feed.covering('192.0.2.1'));
  });
});
