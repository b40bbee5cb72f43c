/** Operations of the management API as clients see them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type * as z from 'zod/mini';
import type { Operation } from '../../contract/api/operation.ts';
import { operations } from '../../contract/api/operations.ts';
import { ErrorAnswer, type Health } from '../../contract/api/records.ts';
import { readPrefix } from '../address/prefix.ts';
import type { Decision, ThreatFeed } from '../feed/feed.ts';
import { Holdings } from '../feed/holdings.ts';
import { memoryBans, post, realBans, start, startedAt, testFolder } from './testing.ts';

const decision: Decision = {
  ip: '198.51.100.0/24',
  type: 'ban',
  origin: 'CAPI',
  scenario: 'crowdsecurity/ssh-bf',
  expiresAt: Date.now() + 60_000,
};

/** Holds these decisions, of which each is a ban of a CrowdSec list. */
async function feedOf(...decisions: readonly Decision[]): Promise<ThreatFeed> {
  const holdings = new Holdings(Date.now);
  const keyed = decisions.map((decision) => {
    const prefix = readPrefix(decision.ip);
    assert.ok(prefix);
    return [decision.ip, { key: decision.ip, prefix, ip: decision.ip, decision }] as const;
  });
  await holdings.merge({ fresh: new Map(keyed), deleted: new Set() });
  return {
    ...feed,
    covering: (ip) => holdings.covering(ip),
    coveringAll: (prefix) => holdings.coveringAll(prefix),
  };
}

const feed: ThreatFeed = {
  covering: () => undefined,
  coveringAll: () => [],
  state: () => ({ status: 'healthy', decisions: 1, updateFrequency: 10, lastSuccess: startedAt, lastError: null }),
  list: () => ({ decisions: [decision], cursor: undefined }),
  account: () => undefined,
  close: async () => undefined,
};

async function error(response: Response): Promise<[number, string, string]> {
  const { error: found } = ErrorAnswer.parse(await response.json());
  return [response.status, found.code, found.message];
}

test('responses match the schemas of their operations, at the root and under /api', async (t) => {
  const { url } = await start(t, { control: { feed } });
  for (const { method, path, answer } of Object.values(operations) as Operation[]) {
    if (method !== 'GET' || !answer.schema) continue;
    const [own, alias] = await Promise.all([fetch(url + path), fetch(`${url}/api${path}`)]);
    assert.deepEqual([own.status, alias.status], [200, 200], path);
    assert.equal(own.headers.get('content-type'), 'application/json');
    const body = await own.json();
    assert.deepEqual((answer.schema as z.ZodMiniType).parse(body), body, path);
  }
});

test('/health returns 200 when a component fails, and 503 only when nothing is served', async (t) => {
  let [isServing, problems] = [true, [] as string[]];
  const { url } = await start(t, { control: { feed, isServing: () => isServing, problems: () => problems } });
  const health = async () => {
    const response = await fetch(`${url}/health`);
    return { code: response.status, ...((await response.json()) as { status?: string; uptime_seconds?: number }) };
  };
  const { uptime_seconds, ...well } = await health();
  const crowdsec = {
    status: 'healthy',
    decisions: 1,
    update_frequency: '10s',
    last_success: '2026-01-01T00:00:00.000Z',
    last_error: null,
  };
  const data_plane = { name: 'net', reason: 'configured' };
  const bans = { enforced: 0, store: 'ok' };
  assert.deepEqual(well, { code: 200, status: 'ok', version: '0.1.0', data_plane, bans, crowdsec });
  assert.ok(Number(uptime_seconds) >= 0);
  problems = ['the disk is full'];
  const { code, status, reasons } = (await health()) as Record<string, unknown>;
  assert.deepEqual([code, status, reasons], [200, 'degraded', problems]);
  isServing = false;
  assert.deepEqual([(await health()).code, ((await health()) as { status?: string }).status], [503, 'unavailable']);
});

test('/health and the metrics count the probes without an address, unless there is no trap', async (t) => {
  const shown = async (count: number | undefined) => {
    const { url } = await start(t, { control: { unattributedProbes: () => count } });
    const health = (await (await fetch(`${url}/health`)).json()) as Health;
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return [health.port_scan, /\ntcp_guard_port_scan_unattributed_total .*/.exec(metrics)?.[0]];
  };
  assert.deepEqual(await shown(7), [{ unattributed: 7 }, '\ntcp_guard_port_scan_unattributed_total 7']);
  assert.deepEqual(await shown(undefined), [undefined, undefined]);
});

test('bans, lists and unbans an address', async (t) => {
  const { url } = await start(t);
  const banned = await post(`${url}/ban`, { ip: '192.0.2.7', duration: '1h30m', reason: 'scanner' });
  assert.equal(banned.status, 201);
  const record = (await banned.json()) as Record<string, string>;
  assert.deepEqual([record.ip, record.reason, record.origin], ['192.0.2.7', 'scanner', 'api']);
  assert.equal(Date.parse(record.expires_at as string) - Date.parse(record.banned_at as string), 5_400_000);
  assert.match(record.remaining as string, /^1h(29m\d+s|30m)$/);
  const forEver = await post(`${url}/api/ban`, { ip: '2001:DB8::7', duration: 'permanent' });
  const { expires_at, remaining, ip } = (await forEver.json()) as Record<string, unknown>;
  assert.deepEqual([ip, expires_at, remaining], ['2001:db8::7', null, 'permanent']);
  const { bans } = (await (await fetch(`${url}/banlist`)).json()) as { bans: { ip: string }[] };
  assert.deepEqual(
    bans.map((ban) => ban.ip),
    ['192.0.2.7', '2001:db8::7'],
  );
  const lifted = await post(`${url}/unban`, { ip: '192.0.2.7' });
  assert.deepEqual([lifted.status, ((await lifted.json()) as { ip: string }).ip], [200, '192.0.2.7']);
  assert.deepEqual((await error(await post(`${url}/unban`, { ip: '192.0.2.7' }))).slice(0, 2), [404, 'not_banned']);
});

test('/unban of an address names the wider ban or decision that covers it', async (t) => {
  const { url } = await start(t, { control: { bans: await realBans(t), feed: await feedOf(decision) } });
  assert.equal((await post(`${url}/ban`, { ip: '203.0.113.77/24' })).status, 201);
  for (const ip of ['203.0.113.7', '203.0.113.0/28']) {
    const found = await error(await post(`${url}/unban`, { ip }));
    assert.deepEqual(found, [404, 'not_banned', `${ip} is not banned itself: the ban of 203.0.113.0/24 covers it`]);
  }
  const [, , message] = await error(await post(`${url}/unban`, { ip: '198.51.100.9' }));
  assert.match(message, / itself: a decision of the threat feed on 198\.51\.100\.0\/24 covers it$/);
});

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
  const [, , message] = await error(await post(`${url}/unban`, { ip: '10.0.0.0/23' }));
  assert.match(message, / itself: a decision of the threat feed on 10\.0\.0\.0\/8 covers it$/);
});

test('bans and unbans are stored and restored', async (t) => {
  const dataDir = testFolder();
  const first = await realBans(t, dataDir);
  const { url } = await start(t, { control: { bans: first } });
  for (const ip of ['203.0.113.1', '203.0.113.2', '2001:db8::/32'])
    await post(`${url}/ban`, { ip, duration: 'permanent' });
  await post(`${url}/unban`, { ip: '203.0.113.1' });
  await first.close();
  const again = await realBans(t, dataDir);
  assert.deepEqual(
    again.list({ limit: 10 }).bans.map(({ ip }) => ip),
    ['203.0.113.2', '2001:db8::/32'],
  );
});

const badAddresses = [
  'localhost',
  '192.0.2.1/33',
  '0192.0.2.1',
  '10.0.0.0/7',
  '2001:db8::/31',
  '192.0.2.1 ',
  '',
  'fe80::1%eth0',
  '::ffff:192.0.2.1/40',
];

test('refuses to ban an invalid address, too wide a network, and an address in never_ban', async (t) => {
  const { url } = await start(t, { control: { bans: await realBans(t) } });
  for (const ip of badAddresses)
    assert.deepEqual((await error(await post(`${url}/ban`, { ip }))).slice(0, 2), [400, 'bad_address'], ip);
  for (const ip of ['127.0.0.1', '::1', '126.0.0.0/8'])
    assert.equal((await post(`${url}/ban`, { ip })).status, ip.startsWith('126') ? 201 : 409, ip);
  const [status, code, message] = await error(await post(`${url}/report`, { ip: '192.0.2.0/24', reason: 'x' }));
  assert.deepEqual([status, code], [400, 'bad_address']);
  assert.equal(message, 'ip: expected an IPv4 or IPv6 address, found "192.0.2.0/24"');
});

test('lifts a ban when the store fails, and reports that it is not durable', async (t) => {
  const folder = testFolder();
  writeFileSync(join(folder, 'file'), 'in the way');
  const bans = await realBans(t, join(folder, 'file', 'data'));
  const { url } = await start(t, { control: { bans } });
  const answers = [];
  for (const path of ['ban', 'unban', 'unban'])
    answers.push((await error(await post(`${url}/${path}`, { ip: '198.51.100.1' }))).slice(0, 2));
  assert.deepEqual(answers, [
    [507, 'not_durable'],
    [507, 'not_durable'],
    [404, 'not_banned'],
  ]);
});

test('each refusal of the store has its own code', async (t) => {
  const outcomes = {
    '192.0.2.1': { ok: false, refusal: 'bad_address' },
    '192.0.2.2': { ok: false, refusal: 'never_ban' },
    '192.0.2.3': { ok: false, refusal: 'too_many' },
    '192.0.2.4': {
      ok: true,
      isDurable: false,
      ban: { ip: '192.0.2.4', reason: '', service: null, origin: 'api', bannedAt: 0, expiresAt: 0 },
    },
  } as const;
  const bans = {
    ...memoryBans(Date.now),
    add: async ({ ip }: { ip: string }) => outcomes[ip as keyof typeof outcomes],
  };
  const { url } = await start(t, { control: { bans } });
  const found = [];
  for (const ip of Object.keys(outcomes)) found.push((await error(await post(`${url}/ban`, { ip }))).slice(0, 2));
  assert.deepEqual(found, [
    [400, 'bad_address'],
    [409, 'never_ban'],
    [507, 'too_many_bans'],
    [507, 'not_durable'],
  ]);
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
  assert.deepEqual((await error(await fetch(`${url}/banlist?cursor=other:`))).slice(0, 2), [400, 'bad_query']);
});

test('counts reported failures for services that exist', async (t) => {
  const { url } = await start(t);
  const report = async (body: unknown) => (await post(`${url}/report`, body)).json();
  assert.deepEqual(await report({ ip: '192.0.2.7', reason: 'failed login' }), { ip: '192.0.2.7', banned: false });
  assert.deepEqual(await report({ ip: '192.0.2.99', service: 'ssh', reason: 'x' }), { ip: '192.0.2.99', banned: true });
  const found = await error(await post(`${url}/report`, { ip: '192.0.2.7', service: 'web', reason: 'x' }));
  assert.deepEqual(found, [404, 'no_service', 'there is no service "web"']);
});

test('a configuration with errors changes nothing, and the response lists all errors', async (t) => {
  const problem = {
    kind: 'bad_value',
    path: 'api.listen',
    line: 3,
    column: 11,
    message: 'expected an address',
  } as const;
  let problems: readonly (typeof problem)[] = [];
  const reload = async () =>
    (problems.length > 0
      ? { ok: false, problems }
      : { ok: true, changed: ['services.ssh'], restart: ['global.workers'], problems: ['a'] }) as never;
  const { url } = await start(t, { control: { reload } });
  const good = await fetch(`${url}/reload`, { method: 'POST' });
  assert.deepEqual(
    [good.status, await good.json()],
    [200, { changed: ['services.ssh'], restart: ['global.workers'], problems: ['a'] }],
  );
  problems = [problem, problem];
  const bad = await fetch(`${url}/reload`, { method: 'POST' });
  const { error: found } = ErrorAnswer.parse(await bad.json());
  const { kind, ...shown } = problem;
  assert.deepEqual([bad.status, found.code, found.problems], [422, 'invalid_configuration', [shown, shown]]);
});

test('metrics are Prometheus text with escaped labels', async (t) => {
  const stats = { 's"\\\n': { active_connections: 1, total_allowed: 2, total_blocked: 3, bytes_in: 4, bytes_out: 5 } };
  const { url } = await start(t, { control: { feed, push: { dropped: () => 3 }, stats: () => stats } });
  const response = await fetch(`${url}/metrics`);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  const form =
    /^(# (HELP|TYPE) tcp_guard_\w+ .+|tcp_guard_\w+(\{\w+="([^"\\\n]|\\["\\n])*"(,\w+="([^"\\\n]|\\["\\n])*")*\})? \d+)$/;
  for (const line of text.trimEnd().split('\n')) assert.match(line, form);
  assert.match(text, /tcp_guard_bytes_total\{service="s\\"\\\\\\n",direction="out"\} 5\n/);
  assert.match(text, /# TYPE tcp_guard_connections_blocked_total counter\n/);
  assert.match(text, /\ntcp_guard_push_dropped_total 3\n/);
});

const badBodies: Record<string, [body: string, expected: RegExp]> = {
  'an empty body': ['', /the body is missing/],
  'invalid JSON': ['{ip: 1}', /a key in double quotes/],
  'truncated JSON': ['{"ip":', /^expected a value, found the end of the body$/],
  'JSON and more': ['{} {}', /^expected the end of the body, found "{"$/],
  'only white space': ['\n', /^the body is empty \(an object is expected\)$/],
  'a byte order mark': ['\ufeff{}', /byte order mark \(send it without one\)/],
  'not an object': ['[]', /expected an object, found an empty list/],
  'a duplicate key': ['{"ip":"192.0.2.1","ip":"192.0.2.2"}', /first at 1:2/],
  'an unknown key': ['{"ip":"192.0.2.1","durations":"1h"}', /unknown key "durations" \(did you mean "duration"\?\)/],
  'a number for a duration': ['{"ip":"192.0.2.1","duration":3600}', /duration: expected text, found 3600/],
  'a duration without unit': ['{"ip":"192.0.2.1","duration":"3600"}', /duration: expected a duration such as 30s/],
  'a duration of zero': ['{"ip":"192.0.2.1","duration":"0s"}', /duration: expected/],
  'a duration beyond a year': ['{"ip":"192.0.2.1","duration":"366d"}', /duration: expected/],
  'a reason of two lines': ['{"ip":"192.0.2.1","reason":"a\\nb"}', /reason: expected 1 to 200 characters/],
  'deep nesting': [`${'['.repeat(1000)}${']'.repeat(1000)}`, /the nesting is deeper/],
};

test('refuses an invalid body and says what was expected', async (t) => {
  const { url } = await start(t);
  for (const [name, [body, expected]] of Object.entries(badBodies)) {
    const [status, code, message] = await error(await post(`${url}/ban`, body));
    assert.deepEqual([status, code], [400, 'bad_body'], name);
    assert.match(message, expected, name);
    assert.doesNotMatch(message, /file|policy/, name);
  }
});

test('accepts durations of every form', async (t) => {
  const { url } = await start(t);
  for (const duration of ['1s', '30s', '4h', '1h30m', '7d', '365d', '8760h0m0s', '90m', '1d12h', 'permanent'])
    assert.equal((await post(`${url}/ban`, { ip: '192.0.2.1', duration })).status, 201, duration);
});

const badQueries = {
  '?limit=0': 'limit: expected a whole number from 1 to 1000, found "0"',
  '?limit=1e2': 'limit: expected a whole number from 1 to 1000, found "1e2"',
  '?limit=1&limit=2': '"limit" is given twice',
  '?origin=me': 'origin: expected one of local, crowdsec, all, found "me"',
  '?__proto__=1': 'there is no parameter "__proto__"',
  '?ip=%ff': 'a parameter is not URL-encoded UTF-8',
};

test('refuses an invalid query', async (t) => {
  const { url } = await start(t);
  for (const [query, message] of Object.entries(badQueries))
    assert.deepEqual(await error(await fetch(`${url}/banlist${query}`)), [400, 'bad_query', message]);
});

test('writes an internal error to the log and not to the client', async (t) => {
  const services = () => {
    throw new Error('secret detail');
  };
  const { url, control } = await start(t, { control: { services } });
  assert.deepEqual(await error(await fetch(`${url}/services`)), [
    500,
    'internal',
    'Internal error of the daemon; see its log.',
  ]);
  assert.match(control.faults.join(), /secret detail/);
});
