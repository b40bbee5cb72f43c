import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DaemonFile } from '../../../contract/daemon/schema.ts';
import { clientOfPeer } from '../../address/client.ts';
import type { Bans } from '../../bans/ban.ts';
import type { Decision, ThreatFeed } from '../../feed/feed.ts';
import { configuration, guardedService } from '../../testing/daemon.ts';
import { ConnectionTable } from '../connection-table.ts';
import { compileRules } from '../rules.ts';
import type { Arrival } from './gate.ts';
import { createGates } from './index.ts';

type Outcome = Parameters<ThreatFeed['account']>[0];

const decision: Decision = { ip: '192.0.2.1', type: 'captcha', origin: 'CAPI', scenario: 'test', expiresAt: 1 };

/** Gates under a configuration. One address is in the feed, another one is banned. */
function gates(file: DaemonFile) {
  const time = { now: 0 };
  const outcomes: Outcome[] = [];
  const covering = (ip: string) => (ip === decision.ip ? decision : undefined);
  const feed = { covering, account: (outcome: Outcome) => outcomes.push(outcome) } as unknown as ThreatFeed;
  const bans = { covers: (ip: string) => ip === '192.0.2.2' } as unknown as Bans;
  const connections = new ConnectionTable();
  const countryOf = (ip: string) => (ip === '192.0.2.3' ? 'DE' : '');
  const passed: string[] = [];
  const bypassed = ({ client }: Arrival) => passed.push(client.ip);
  const made = createGates({ connections, bans, feed: () => feed, bypassed, countryOf, now: () => time.now });
  const config = configuration({ services: { one: guardedService(9) }, ...file });
  const rules = compileRules(config, { ownAddresses: [], connectionCeiling: 2, guards: new Map() });
  const [service] = rules.services.values();
  const refusalOf = (ip: string) =>
    made.refuses({ client: clientOfPeer({ ip, port: 1 }), service: service as never, rules });
  return { ...made, refusalOf, outcomes, passed, time, connections };
}

const feeding = (fallback_action: 'ban' | 'throttle' | 'bypass'): DaemonFile => ({
  threatfeed: { enabled: true, api_key: 'x', fallback_action, throttle: { connections_per_minute: 6 } },
});

test('a decision of the feed refuses, throttles, or is counted and reported', () => {
  const banning = gates(feeding('ban'));
  assert.equal(banning.refusalOf('192.0.2.1'), 'threatfeed');
  assert.deepEqual(banning.passed, []);
  const bypassing = gates(feeding('bypass'));
  assert.deepEqual([bypassing.refusalOf('192.0.2.1'), bypassing.refusalOf('192.0.2.9')], [undefined, undefined]);
  assert.deepEqual(bypassing.passed, ['192.0.2.1']);
  const { refusalOf, time } = gates(feeding('throttle'));
  assert.deepEqual([refusalOf('192.0.2.1'), refusalOf('192.0.2.1')], [undefined, 'threatfeed_throttle']);
  time.now = 10_000;
  assert.deepEqual([refusalOf('192.0.2.1'), refusalOf('192.0.2.1')], [undefined, 'threatfeed_throttle']);
});

test('the feed counts each checked connection and its outcome', () => {
  const { refusalOf, outcomes } = gates(feeding('ban'));
  for (const ip of ['192.0.2.1', '192.0.2.9', '2001:db8::1', '192.0.2.2']) refusalOf(ip);
  assert.deepEqual(outcomes, [
    { isIpv6: false, origin: 'CAPI', remediation: 'ban' },
    { isIpv6: false },
    { isIpv6: true },
  ]);
});

test('never_ban exempts only from bans, the feed and the failure rate', () => {
  const never_ban = ['192.0.2.0/24'];
  const { refusalOf, failed } = gates({ ...feeding('ban'), global: { never_ban, ip_filter: { deny: ['192.0.2.3'] } } });
  for (let i = 0; i < 50; i++) failed(clientOfPeer({ ip: '192.0.2.9', port: 1 }));
  for (let i = 0; i < 50; i++) assert.equal(refusalOf('192.0.2.9'), undefined);
  assert.deepEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(refusalOf), [undefined, undefined, 'ip_filter']);
});

test('an address whose logins fail gets fewer connections until the window ends', () => {
  const { refusalOf, failed, time } = gates({ global: { failure_window: '60s' } });
  for (let i = 0; i < 100; i++) assert.equal(refusalOf('192.0.2.9'), undefined);
  failed(clientOfPeer({ ip: '192.0.2.9', port: 1 }));
  const outcomes = Array.from({ length: 12 }, () => refusalOf('192.0.2.9'));
  assert.deepEqual(outcomes, [...new Array(10).fill(undefined), 'failure_rate', 'failure_rate']);
  assert.equal(refusalOf('192.0.2.8'), undefined);
  time.now = 60_000;
  for (let i = 0; i < 100; i++) assert.equal(refusalOf('192.0.2.9'), undefined);
});

test('a lifted ban ends the limit for earlier failed logins, also one of a network', () => {
  for (const ban of ['192.0.2.9', '192.0.2.0/24']) {
    const { refusalOf, failed, lifted, time } = gates({ global: { failure_window: '60s' } });
    const client = clientOfPeer({ ip: '192.0.2.9', port: 1 });
    const other = clientOfPeer({ ip: '203.0.113.9', port: 1 });
    failed(client);
    failed(other);
    for (let i = 0; i < 12; i++) for (const { ip } of [client, other]) refusalOf(ip);
    assert.equal(refusalOf('192.0.2.9'), 'failure_rate');
    lifted(ban);
    time.now++;
    for (let i = 0; i < 100; i++) assert.equal(refusalOf('192.0.2.9'), undefined);
    assert.equal(refusalOf('203.0.113.9'), 'failure_rate');
    failed(client);
    const outcomes = Array.from({ length: 11 }, () => refusalOf('192.0.2.9'));
    assert.deepEqual(outcomes, [...new Array(10).fill(undefined), 'failure_rate']);
  }
});

test('the refusal names the first gate that refuses', () => {
  const everything: DaemonFile = {
    ...feeding('ban'),
    global: {
      geoip_db: 'x',
      max_connections_per_ip: 1,
      ip_filter: { deny: ['192.0.2.2', '192.0.2.4'] },
      geo_block: { deny_countries: ['DE'] },
    },
  };
  const { refusalOf, connections } = gates(everything);
  const enter = (ip: string) =>
    connections.enter({ client: clientOfPeer({ ip, port: 1 }), service: 'one', cut: () => {} });
  const leave = enter('192.0.2.5');
  const asked = ['192.0.2.2', '192.0.2.1', '192.0.2.4', '192.0.2.3', '192.0.2.5', '192.0.2.6'].map(refusalOf);
  assert.deepEqual(asked, ['ban', 'threatfeed', 'ip_filter', 'geo', 'max_connections_per_ip', undefined]);
  enter('192.0.2.6');
  assert.equal(refusalOf('192.0.2.2'), 'capacity');
  leave();
  assert.equal(refusalOf('192.0.2.2'), 'ban');
});

test('has exactly these gates and tables', () => {
  const { tables } = gates({});
  assert.deepEqual(Object.keys(tables()), ['threatfeed', 'failure_rate', 'rate_limit']);
});
