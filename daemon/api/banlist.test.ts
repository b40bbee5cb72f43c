/** The list of bans and decisions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBans } from '../bans/index.ts';
import type { ListedText } from '../kernel-bans/index.ts';
import { configuration, temporaryFolder } from '../testing/daemon.ts';
import { decision, feed, feedOf } from './testing/feed.ts';
import { errorOf, post, start } from './testing/running-api.ts';

test('lists every decision that covers all of an address or network, widest first', async (t) => {
  const lasting = (ip: string, hours: number) => ({ ...decision, ip, expiresAt: Date.now() + hours * 3_600_000 });
  const decisions = [lasting('10.0.0.0', 4), lasting('10.0.0.0/8', 1), lasting('10.0.0.0/24', 2)];
  const expired = { ...decision, ip: '10.0.0.0/16', expiresAt: Date.now() - 1 };
  const { url } = await start(t, { control: { feed: await feedOf(...decisions, expired) } });
  const covering = async (ip: string, query = '') => {
    const page = await fetch(`${url}/banlist?origin=crowdsec&ip=${ip}${query}`);
    return ((await page.json()) as { bans: { ip: string }[] }).bans.map((record) => record.ip);
  };
  assert.deepEqual(await covering('10.0.0.0'), ['10.0.0.0/8', '10.0.0.0/24', '10.0.0.0']);
  assert.deepEqual(await covering('::ffff:10.0.0.0', '&limit=2'), ['10.0.0.0/8', '10.0.0.0/24']);
  assert.deepEqual(await covering('10.0.0.0/24'), ['10.0.0.0/8', '10.0.0.0/24']);
  assert.deepEqual(await covering('10.0.0.0/23'), ['10.0.0.0/8']);
  assert.deepEqual(await covering('10.0.0.0/7'), []);
  const [, , message] = await errorOf(await post(`${url}/unban`, { ip: '10.0.0.0/23' }));
  assert.match(message, / itself: a decision of the threat feed on 10\.0\.0\.0\/8 covers it$/);
});

test('a listing of what covers an address continues at its cursor, and misses none', async (t) => {
  const decisions = ['10.0.0.0/8', '10.0.0.0/16', '10.0.0.0'].flatMap((ip) =>
    ['ban', 'captcha', 'mfa'].map((type) => ({ ...decision, ip, type })),
  );
  const bans = await createBans({
    ...{ config: configuration({}), dataDir: temporaryFolder(), now: Date.now, onFault: assert.fail },
  });
  t.after(() => bans.close());
  for (const ip of ['10.0.0.0/9', '10.0.0.0/24', '10.0.0.0', '192.0.2.1'])
    await bans.add({ ip, reason: 'test', origin: 'api' });
  const { url } = await start(t, { control: { bans, feed: await feedOf(...decisions) } });
  const covering = async (origin: string) => {
    const listed: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = `origin=${origin}&ip=10.0.0.0&limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const response = await fetch(`${url}/banlist?${query}`);
      const page = (await response.json()) as { bans: { ip: string; origin: string }[]; cursor?: string };
      listed.push(...page.bans.map((record) => `${record.origin} ${record.ip}`));
      cursor = page.cursor;
    }
    return listed;
  };
  const local = ['api 10.0.0.0/9', 'api 10.0.0.0/24', 'api 10.0.0.0'];
  const crowdsec = ['10.0.0.0/8', '10.0.0.0/16', '10.0.0.0'].flatMap((ip) => Array(3).fill(`crowdsec ${ip}`));
  assert.deepEqual(await covering('local'), local);
  assert.deepEqual(await covering('crowdsec'), crowdsec);
  assert.deepEqual(await covering('all'), [...local, ...crowdsec]);
});

test('a listing has the packets that the firewall dropped for each ban and decision', async (t) => {
  const counts = new Map([
    ['ban 192.0.2.1', 7],
    ['threatfeed 198.51.100.0/24', 0],
  ]);
  const packetsOf = async (entries: readonly ListedText[]) =>
    entries.map(({ list, ip }) => counts.get(`${list} ${ip}`));
  const { url } = await start(t, { control: { feed, packetsOf } });
  for (const ip of ['192.0.2.1', '192.0.2.2']) await post(`${url}/ban`, { ip });
  const { bans } = (await (await fetch(`${url}/banlist?origin=all`)).json()) as { bans: { packets?: number }[] };
  assert.deepEqual(
    bans.map(({ packets }) => packets ?? null),
    [7, null, 0],
  );
});

test('a listing continues at its cursor, from bans to decisions', async (t) => {
  const { url } = await start(t, { control: { feed } });
  for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await post(`${url}/ban`, { ip });
  const pages = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const response = await fetch(
      `${url}/banlist?origin=all&limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    const page = (await response.json()) as { bans: { ip: string; origin: string }[]; cursor?: string };
    pages.push(page.bans.map(({ ip, origin }) => `${ip} ${origin}`));
    cursor = page.cursor;
  }
  assert.deepEqual(pages, [
    ['192.0.2.1 api', '192.0.2.2 api'],
    ['192.0.2.3 api', '198.51.100.0/24 crowdsec'],
  ]);
  const lists = { 'origin=local&cursor=crowdsec:': 0, 'origin=crowdsec&cursor=local:192.0.2.1': 1, 'cursor=local:': 3 };
  for (const [query, count] of Object.entries(lists)) {
    const page = (await (await fetch(`${url}/banlist?${query}`)).json()) as { bans: unknown[] };
    assert.equal(page.bans.length, count, query);
  }
  assert.deepEqual((await errorOf(await fetch(`${url}/banlist?cursor=other:`))).slice(0, 2), [400, 'bad_query']);
});

test('a cursor that no listing of this kind gives is refused, with what to do', async (t) => {
  const { url } = await start(t, { control: { feed } });
  for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await post(`${url}/ban`, { ip });
  const refused = [
    ...['local:1', 'local:::::', 'local:8.1', 'local:192.0.2.1/33'].map((cursor) => ({ cursor })),
    ...['crowdsec:a', 'crowdsec:1.2', 'crowdsec:192.0.2.1'].map((cursor) => ({ cursor, origin: 'all' })),
    ...['local:192.0.2.1', 'local:1', 'crowdsec:7'].map((cursor) => ({ cursor, origin: 'all', ip: '192.0.2.1' })),
  ];
  for (const query of refused) {
    const [status, code, message] = await errorOf(await fetch(`${url}/banlist?${new URLSearchParams(query)}`));
    assert.deepEqual([status, code], [409, 'other_listing'], JSON.stringify(query));
    assert.match(message, /not of this listing: request its first page without a cursor/);
  }
  for (const cursor of ['local:', 'local:192.0.2.0/24', 'local:2001:db8::/32', 'crowdsec:0']) {
    const response = await fetch(`${url}/banlist?origin=all&cursor=${encodeURIComponent(cursor)}`);
    assert.equal(response.status, 200, cursor);
  }
});
