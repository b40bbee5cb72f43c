import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import type { ThreatFeed } from '../feed/feed.ts';
import { decision, fakeLapi, streamReply } from '../feed/testing/fake-lapi.ts';
import { geoDatabase } from '../geo/testing/geo.ts';
import { bytesOf, echo, guardedService, received, type Started, start, startUpstream } from '../testing/daemon.ts';
import { inTime } from './testing/workers.ts';

type Action = NonNullable<NonNullable<DaemonFile['threatfeed']>['fallback_action']>;
type Outcome = 'served' | 'refused';

/** The feed lists this client. Its connections show whether the decisions have arrived, and are not compared. */
const signal = { service: 'signal', ip: '127.0.0.99' };
/** Enough connections that each worker almost certainly gets some. The system distributes them by source port. */
const many = 24;

const listed = {
  banned: '127.0.0.21',
  inBannedNetwork: '127.2.3.4',
  inFeed: '127.0.0.30',
  captcha: '127.0.0.31',
  bannedAndInFeed: '127.0.0.22',
  denied: '127.0.0.20',
  inFeedAndDenied: '127.0.0.23',
  exempt: '127.0.0.40',
  exemptAndDenied: '127.0.0.41',
  other: '127.0.0.50',
} as const;

const decisions = [
  decision(signal.ip),
  decision(listed.inFeed, { origin: 'CAPI' }),
  decision(listed.captcha, { type: 'captcha', origin: 'lists', scenario: 'tor' }),
  decision(listed.bannedAndInFeed),
  decision(listed.inFeedAndDenied),
  decision(listed.exempt),
  decision(listed.exemptAndDenied),
];

type Usage = Readonly<Record<string, number>>;

/** Counts the outcomes for the usage metrics from now on. */
function countUsage(feed: ThreatFeed): Usage {
  const usage: Record<string, number> = {};
  Object.assign(feed, {
    account: (outcome: object, count = 1) => {
      const key = Object.entries(outcome).sort().join(' ');
      usage[key] = (usage[key] ?? 0) + count;
    },
  });
  return usage;
}

/** Connects as one client, sends the bytes `first`, and waits for a byte or the end. */
async function visit({ dial }: Started, service: string, ip: string, first = 'x'): Promise<Outcome> {
  const socket = dial(service, { localAddress: ip });
  socket.write(first);
  return Promise.race([
    bytesOf(socket, 1).then(() => 'served' as const),
    received(socket).then(() => 'refused' as const),
  ]).finally(() => socket.destroy());
}

/**
 * Waits until every worker has the decisions. A worker without them admits the client of the signal, and does not
 * record that it bypasses the feed.
 */
async function haveArrived(started: Started, action: Action): Promise<void> {
  const bypassed = () => started.events.filter(({ reason }) => reason === 'threatfeed_bypass').length;
  await until(async () => {
    const before = bypassed();
    const visits = Array.from({ length: many }, () => visit(started, signal.service, signal.ip));
    const refused = (await Promise.all(visits)).filter((outcome) => outcome === 'refused');
    await inTime(started.daemon.refreshCounts);
    return (action === 'bypass' ? bypassed() - before : refused.length) === many;
  });
}

const feedReasons = { ban: 'threatfeed', throttle: 'threatfeed_throttle' };

async function run(t: TestContext, workers: number, action: Action) {
  const { port } = await startUpstream(t, echo);
  const lapi = await fakeLapi(t, streamReply(decisions));
  const started = await start(t, {
    global: {
      workers,
      never_ban: [listed.exempt, listed.exemptAndDenied],
      ip_filter: { deny: [listed.denied, listed.inFeedAndDenied, listed.exemptAndDenied] },
      geoip_db: geoDatabase,
    },
    threatfeed: {
      enabled: true,
      lapi_url: lapi.url,
      api_key: 'k',
      fallback_action: action,
      throttle: { connections_per_minute: 1 },
    },
    services: {
      signal: guardedService(port),
      one: guardedService(port),
      closed: guardedService(port, { ip_filter: { allow: [listed.other] } }),
      abroad: guardedService(port, { geo_block: { allow_countries: ['DE'] } }),
      proxied: guardedService(port, {
        proxy_protocol: { accept_from: ['127.0.0.1'] },
        geo_block: { deny_countries: ['US'] },
      }),
      limited: guardedService(port, { max_connections_per_ip: 2 }),
      rated: guardedService(port, { rate_limit: { connections_per_minute: 1, burst: 2 } }),
      tiny: guardedService(port, { max_connections: 1 }),
    },
  });
  const { daemon } = started;
  for (const ip of [listed.banned, listed.bannedAndInFeed, '127.2.0.0/16'])
    await daemon.bans.add({ ip, reason: 'test', origin: 'api' });
  await until(() => daemon.feed?.state().decisions === decisions.length);
  await haveArrived(started, action);
  return started;
}

const proxied = (source: string) => `PROXY TCP4 ${source} 192.0.2.1 4000 22\r\nx`;

/** Makes connections that together reach each gate, except that of failure rates. */
async function visitAll(started: Started): Promise<readonly Outcome[]> {
  const { daemon, dial } = started;
  const outcomes: Outcome[] = [];
  const visits = async (service: string, ...ips: readonly string[]) => {
    for (const ip of ips) outcomes.push(await visit(started, service, ip));
  };
  const hold = async (service: string) => {
    const socket = dial(service, { localAddress: listed.other });
    socket.write('x');
    await bytesOf(socket, 1);
    return socket;
  };
  await visits('one', ...Object.values(listed), listed.inFeed, listed.captcha);
  await visits('closed', ...Object.values(listed), '127.0.0.51');
  await visits('abroad', listed.other, listed.exempt);
  for (const source of ['8.8.8.8', '192.0.2.9', listed.banned, listed.denied])
    outcomes.push(await visit(started, 'proxied', '127.0.0.1', proxied(source)));
  await visits('rated', listed.other, listed.other, listed.other, listed.banned, listed.denied);
  const held = [await hold('limited'), await hold('limited'), await hold('tiny')];
  await visits('limited', listed.other, listed.denied, '127.0.0.51');
  await inTime(daemon.refreshCounts); // the workers receive that `tiny` is full
  await visits('tiny', '127.0.0.51', listed.banned, listed.inFeed, listed.denied);
  for (const socket of held) socket.end();
  return outcomes;
}

/** The audit events and the statistics of a run. */
async function traces({ daemon, events }: Started, usage: Usage, first: number, records: number | undefined) {
  await until(() => Object.values(daemon.stats()).every(({ active_connections }) => active_connections === 0));
  const kept = () => events.slice(first).filter(({ service }) => service !== signal.service);
  await until(async () => {
    await inTime(daemon.refreshCounts);
    return records === undefined || kept().length >= records;
  });
  const { signal: _, ...stats } = daemon.stats();
  const counts = Object.entries(stats).map(([name, { total_allowed, total_blocked }]) => [
    name,
    total_allowed,
    total_blocked,
  ]);
  const lines = kept().map(({ service, client_ip, action, reason, country_code }) =>
    [service, client_ip, action, reason, country_code].join(' '),
  );
  return { lines: lines.sort(), counts, usage };
}

async function everythingOf(t: TestContext, workers: number, action: Action, records?: number) {
  const started = await run(t, workers, action);
  await inTime(started.daemon.refreshCounts);
  const [usage, first] = [countUsage(started.daemon.feed as ThreatFeed), started.events.length];
  const outcomes = await visitAll(started);
  return { outcomes, ...(await traces(started, usage, first, records)) };
}

const reasons = (lines: readonly string[]) => [...new Set(lines.map((line) => line.split(' ')[3]))].sort();

for (const action of ['ban', 'throttle', 'bypass'] as const)
  test(`workers and a single process decide, record and count alike when the feed has ${action}`, async (t) => {
    const one = await everythingOf(t, 1, action);
    const two = await everythingOf(t, 2, action, one.lines.length);
    assert.deepEqual(two, one);
    for (const reason of ['ban', 'ip_filter', 'geo', 'max_connections_per_ip', 'rate_limit', 'service_capacity'])
      assert.ok(reasons(one.lines).includes(reason), `${reason} is one of ${reasons(one.lines)}`);
    assert.ok(reasons(one.lines).includes(action === 'bypass' ? 'threatfeed_bypass' : feedReasons[action]));
  });

for (const workers of [1, 2])
  test(`the rate of a client whose login failed is limited before lists apply, workers: ${workers}`, async (t) => {
    const { port } = await startUpstream(t, (socket) => {
      socket.write('+OK ready\r\n');
      socket.on('data', (line: Buffer) => socket.write(line.includes('PASS') ? '-ERR [AUTH] no\r\n' : '+OK\r\n'));
    });
    const started = await start(t, {
      global: { workers, ban_after_failures: 100 },
      services: {
        pop3: guardedService(port, { protocol: 'pop3' }),
        closed: guardedService(port, { ip_filter: { deny: [listed.other] } }),
      },
    });
    const { dial, event, daemon } = started;
    assert.equal(await visit(started, 'closed', listed.other), 'refused');
    assert.equal((await event(({ service }) => service === 'closed')).reason, 'ip_filter');
    const socket = dial('pop3', { localAddress: listed.other });
    socket.on('data', (line: Buffer) => {
      if (line.includes('ERR')) socket.end();
      else socket.write(line.toString() === '+OK\r\n' ? 'PASS b\r\n' : 'USER a\r\n');
    });
    await event(({ action }) => action === 'auth_failure');
    await inTime(daemon.refreshCounts);
    await Promise.all(Array.from({ length: 2 * many }, () => visit(started, 'closed', listed.other)));
    await event(({ service, reason }) => service === 'closed' && reason === 'failure_rate');
  });
