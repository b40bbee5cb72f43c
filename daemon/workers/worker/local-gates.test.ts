import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DaemonFile } from '../../../contract/daemon/schema.ts';
import { clientOfPeer } from '../../address/client.ts';
import type { Refusal } from '../../admission/gates/gate.ts';
import { compileRules, type ServiceRules } from '../../admission/rules.ts';
import { configuration, guardedService } from '../../testing/daemon.ts';
import { FailingClients } from './failing-clients.ts';
import { createLocalGates } from './local-gates.ts';

const [banned, inFeed, denied, failing, other] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5'];

function setUp(file: DaemonFile, reachedLimit: Refusal | undefined = undefined, isFree = true, isMissing = false) {
  let openCount = 0;
  const counted = new Set<string>();
  const time = { now: 0 };
  const clients = new FailingClients(() => time.now);
  clients.add(clientOfPeer({ ip: failing as string, port: 1 }).key);
  const accounted: unknown[] = [];
  const passed: string[] = [];
  const runLocalGates = createLocalGates({
    replica: {
      covers: (ip) => ip === banned,
      covering: (ip) => (ip === inFeed ? { type: 'ban', origin: 'CAPI', expiresAt: 1 } : undefined),
    },
    failing: clients,
    allowance: { reachedLimit: () => reachedLimit, isFree: () => isFree, countOf: () => openCount },
    counted,
    workers: 2,
    geo: { countryOf: () => '', isMissing: () => isMissing },
    account: (outcome) => accounted.push(outcome),
    bypassed: ({ client }) => passed.push(client.ip),
  });
  const global = { ip_filter: { deny: [denied as string, failing as string] }, ...file.global };
  const config = configuration({ services: { one: guardedService(9) }, ...file, global });
  const rules = compileRules(config, { ownAddresses: [], connectionCeiling: 100, guards: new Map() });
  const service = rules.services.get('one') as ServiceRules;
  const verdictOn = (ip: string) => runLocalGates({ client: clientOfPeer({ ip, port: 1 }), service, rules });
  const verdicts = () => [banned, inFeed, denied, failing, other].map((ip) => verdictOn(ip as string));
  const verdictWith = (open: number) => {
    openCount = open;
    return verdictOn(other as string);
  };
  return { verdicts, verdictWith, counted, time, accounted, passed };
}

const feeding = (fallback_action: 'ban' | 'throttle' | 'bypass'): DaemonFile => ({
  threatfeed: { enabled: true, api_key: 'x', fallback_action },
});
const [byBan, byFeed, byFilter] = (['ban', 'threatfeed', 'ip_filter'] as const).map((refusal) => ({ refusal }));

test('the coordinator decides where it counts: on clients whose logins fail, throttled ones, and without a slot', () => {
  const { verdicts, time } = setUp(feeding('ban'));
  assert.deepEqual(verdicts(), [byBan, byFeed, byFilter, 'coordinator', 'admitted']);
  time.now = 60_000;
  assert.deepEqual(verdicts()[3], byFilter, 'the failure is too old');
  assert.equal(setUp(feeding('throttle')).verdicts()[1], 'coordinator');
  assert.equal(setUp(feeding('ban'), undefined, false).verdicts()[4], 'coordinator');
});

test('a client that another gate refuses is refused for lack of capacity, without a request', () => {
  const { verdicts, accounted } = setUp(feeding('ban'), 'capacity');
  const full = { refusal: 'capacity' };
  assert.deepEqual(verdicts(), [full, full, full, 'coordinator', 'coordinator']);
  assert.deepEqual(accounted, []);
});

test('the feed is accounted for only where the worker decides', () => {
  const { verdicts, accounted } = setUp(feeding('ban'));
  verdicts();
  assert.deepEqual(accounted, [
    { isIpv6: false, origin: 'CAPI', remediation: 'ban' },
    { isIpv6: false },
    { isIpv6: false },
  ]);
  const bypassing = setUp(feeding('bypass'));
  assert.equal(bypassing.verdicts()[1], 'admitted');
  assert.deepEqual(bypassing.passed, [inFeed]);
});

test('the coordinator decides by country while the worker has no database', () => {
  const withoutDatabase = (file: DaemonFile) => setUp(file, undefined, true, true).verdicts()[4];
  assert.equal(
    withoutDatabase({ global: { geoip_db: 'any.mmdb', geo_block: { deny_countries: ['US'] } } }),
    'coordinator',
  );
  assert.equal(withoutDatabase({}), 'admitted');
});

test('a worker admits its share of the connections of a client, unless the coordinator counts the client', () => {
  const limited: DaemonFile[] = [
    { global: { max_connections_per_ip: 8 } },
    { services: { one: guardedService(9, { max_connections_per_ip: 8 }) } },
  ];
  for (const file of limited) {
    const { verdictWith, counted } = setUp(file);
    assert.deepEqual([verdictWith(1), verdictWith(2)], ['admitted', 'coordinator']);
    counted.add(clientOfPeer({ ip: other as string, port: 1 }).key);
    assert.equal(verdictWith(0), 'coordinator');
  }
  const rated = guardedService(9, { rate_limit: { connections_per_minute: 3, burst: 1 } });
  assert.equal(setUp({ services: { one: rated } }).verdictWith(0), 'coordinator');
});
