import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { parser } from '@grafana/lezer-logql';
import { eventExamples } from '../../../contract/events/examples.ts';
import { until } from '../../../platform/testing/until.ts';
import type { Context } from '../../program/context.ts';
import { testWorld } from '../testing/world.ts';
import { BlockedLink } from './link.ts';
import type { Attack, BlockedEvent } from './query.ts';

const hostile = `\x1b[2J\x1b]0;owned\x07\u202eevil\u{1f600}\ud800\n\t\x9b31m`;

const attack = (changes: Partial<Attack> = {}): Attack => ({
  ...{ client_ip: '192.0.2.1', rule_id: 'env-file', gateway: 'caddy', service: 'http', action: 'blocked' },
  ...{ recent: 3, total: 12, ...changes },
});
const request = { ...eventExamples.blocked, path: '/.env', request_uri: '/.env?a=1', host: 'example.com' };

function opened(attacks: readonly Attack[], list: readonly BlockedEvent[] = []) {
  const made = testWorld();
  made.dispatch({ kind: 'screen', name: 'blocked' });
  made.dispatch({ kind: 'blocked.attacks', attacks, at: 0 });
  if (attacks[0]) made.dispatch({ kind: 'blocked.events', of: attacks[0], list });
  return made;
}

const lineOf = (made: ReturnType<typeof opened>): string => /^\$ (.*)$/m.exec(made.draw())?.[1]?.trimEnd() ?? '';

test('lists what is blocked, from whom and by which rule, and the commands about it', () => {
  const detected = attack({ client_ip: '2001:db8::1', action: 'detected', recent: 0, total: 1234 });
  const made = opened([attack(), detected], [request]);
  const text = made.draw();
  assert.match(text, /^Blocked until 00:00:00 UTC/m);
  assert.match(text, /^ +1m +15m +from +by/m);
  assert.match(text, /^ +3 +12 +192\.0\.2\.1 +env-file caddy$/m);
  assert.match(text, /^ +0 +1,234 +2001:db8::1 +env-file caddy, only reported$/m);
  assert.match(text, /▸ explain +guardcli explain env-file\n/);
  assert.match(text, / why +guardcli why \w{10}\n/);
  assert.match(text, / allow +guardcli allow '\/\.env\?a=1' --host example\.com\n/);
  assert.match(text, / ban +guardcli bans add --ip 192\.0\.2\.1\n/);
  assert.match(text, /^\d\d:\d\d:\d\d GET example\.com\/\.env\?a=1$/m);
});

test('a key chooses the command of the command line, which y copies', () => {
  const made = opened([attack()], [request]);
  assert.equal(lineOf(made), 'guardcli explain env-file');
  made.keys('b', 'y');
  assert.deepEqual([lineOf(made), ...made.copied], Array(2).fill('guardcli bans add --ip 192.0.2.1'));
  made.keys('w');
  assert.match(lineOf(made), /^guardcli why \w{10}$/);
});

test('the commands name the policy and the daemon of the workbench', () => {
  const made = opened([attack()], [request]);
  const { file } = made.state().policy;
  made.dispatch({ kind: 'policy.read', file: { ...file, name: 'other file.json' }, policy: undefined });
  made.dispatch({ kind: 'daemon.address', address: { kind: 'unix', path: '/run/api.sock' }, hasToken: false });
  assert.equal(lineOf(made), "guardcli explain env-file -c 'other file.json'");
  made.keys('b');
  assert.equal(lineOf(made), 'guardcli bans add --ip 192.0.2.1 --daemon unix:///run/api.sock');
});

test('offers no command that could not work', () => {
  const limit = opened([attack({ rule_id: 'limit_length' })], [{ ...request, reason: 'limit_length', rule_id: '' }]);
  assert.match(limit.draw(), / explain +no command\n[\s\S]* allow +no command\n/);
  const header = opened([attack()], [{ ...request, target: 'header:cookie' }]);
  assert.match(header.draw(), / allow +no command\n/);
  const ban = opened([attack({ gateway: 'tcp-guard', service: 'ssh', rule_id: 'ban' })], [eventExamples.audit]);
  assert.match(ban.draw(), / explain +guardcli bans list --ip 192\.0\.2\.1\n[\s\S]* why +no command\n/);
  assert.match(ban.draw(), / allow +guardcli bans delete --ip 192\.0\.2\.1\n/);
});

test('keeps the selected attack while the order changes', () => {
  const [one, other] = [attack(), attack({ client_ip: '192.0.2.2' })];
  const made = opened([one, other]);
  made.keys('j', 'j', 'b');
  made.dispatch({ kind: 'blocked.attacks', attacks: [{ ...other, total: 99 }, one], at: 0 });
  assert.match(lineOf(made), /--ip 192\.0\.2\.2$/);
  made.dispatch({ kind: 'blocked.attacks', attacks: [one], at: 0 });
  assert.match(lineOf(made), /--ip 192\.0\.2\.1$/);
});

test('draws and copies no control character of an attacker', () => {
  const long = `/${hostile}${'x'.repeat(65_536)}`;
  const names = { client_ip: hostile, rule_id: `a\x1b[201~\nrm`, gateway: hostile, service: hostile };
  const made = opened([attack(names)], [{ ...request, host: hostile, request_uri: long, reference: hostile }]);
  made.keys('y', 'w', 'y', 'a', 'y', 'b', 'y');
  for (const line of [...made.copied, ...made.draw().split('\n')]) assert.match(line, /^[\x20-\x7e─▸│✔✖↑↓→…]*$/);
  assert.match(made.draw(120, 40), /owned/);
  const foreign = { ...request, request_uri: '/\u6f22\u5b57' };
  assert.match(opened([attack()], [foreign, request]).draw(), / allow +guardcli allow '\/\.env\?a=1' /);
  const wide = opened([attack()], [foreign]);
  wide.keys('a', 'y');
  assert.deepEqual(wide.copied, ['guardcli dashboard watch']);
  assert.match(wide.draw(), / allow +no command\n/);
});

test('says that nothing is blocked, and that Loki does not respond', () => {
  const made = opened([]);
  assert.match(made.draw(), /nothing was blocked in the last 15m/);
  made.dispatch({ kind: 'blocked.problem', problem: 'no Loki\x1b[2J' });
  assert.match(made.draw(), /^no Loki\\x1b\[2J/m);
  assert.equal(lineOf(made), 'guardcli dashboard up');
});

/** Starts a server that responds like Loki. `queries` has what it was asked. */
async function startLoki(t: TestContext) {
  const queries: string[] = [];
  const { client_ip, rule_id, gateway, service, action } = attack();
  const metric = { client_ip, rule_id, gateway, service, action };
  const series = (count: string) => ({
    resultType: 'vector',
    result: [
      { metric, value: [1, count] },
      { metric: { ...metric, client_ip: hostile }, value: [1, '1'] },
    ],
  });
  const values = [
    ['1700000000000000000', JSON.stringify(request)],
    ['1600000000000000000', `${hostile}${'x'.repeat(65_536)}`],
  ];
  const streams = { resultType: 'streams', result: [{ stream: {}, values }] };
  const server = createServer(({ url = '' }, response) => {
    const query = new URL(url, 'http://loki').searchParams.get('query') ?? '';
    queries.push(query);
    const data = query.startsWith('{') ? streams : series(query.includes('[60s]') ? '2' : '7');
    response.end(JSON.stringify({ status: 'success', data }));
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await until(() => server.listening);
  return { queries, port: (server.address() as AddressInfo).port };
}

test('counts the last minute and the range, and loads the events of the selected attack', async (t) => {
  const { queries, port } = await startLoki(t);
  const made = testWorld();
  const context = { env: {}, cwd: '/', now: Date.now } as unknown as Context;
  const blocked = new BlockedLink(made.world.store, context, { lokiPort: String(port), dir: '/nowhere' });
  t.after(() => blocked.close());
  Object.assign(made.world, { blocked });
  made.dispatch({ kind: 'blocked.range', rangeMs: 3_600_000 });
  made.keys('escape', '5');
  await until(() => made.draw().includes('GET example.com/.env'));
  assert.match(made.draw(), /^ +1m +1h +from +by/m);
  assert.match(made.draw(), /^ +2 +7 +192\.0\.2\.1 +env-file caddy$/m);
  assert.equal(made.state().blocked.attacks?.length, 2);
  made.keys('j');
  const quoted = `client_ip=${JSON.stringify(hostile)}`;
  await until(() => queries.some((query) => query.includes(quoted)), 'the events of the other attack');
  for (const query of queries)
    parser.parse(query).iterate({ enter: ({ type }) => assert.ok(!type.isError, `not LogQL: ${query}`) });
});
