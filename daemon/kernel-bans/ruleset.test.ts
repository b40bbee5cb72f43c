import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPrefix } from '../address/prefix.ts';
import { isOurs, tableIn } from './listed.ts';
import { changeText, type Element, ownerOf, setsOf, tableText } from './ruleset.ts';

const elementOf = (text: string): Element => {
  const prefix = readPrefix(text);
  assert.ok(prefix);
  return { list: 'ban', prefix, leftMs: 1500 };
};

const port = { service: 'one', host: '', port: 2222, isTarpit: false, proxies: [] };

test('bans of services hold at their ports, and those of a host at every port but the ones of a tarpit', () => {
  const elements = ['192.0.2.1', '198.51.100.0/24', '2001:db8::/48'].map(elementOf);
  const ports = [port, { ...port, service: 'two', port: 25, isTarpit: true }];
  const rulesOf = (scope: 'host' | 'services') =>
    tableText({ scope, owner: 'bans_x', exempt: [], ports }, setsOf(elements).values(), elements).filter((line) =>
      /^add rule \S+ \S+ (?:prerouting|input|bans_x) /.test(line),
    );
  const lookups = [
    'add rule inet request_guard bans_x ip saddr @ban_v4_32 goto refuse_ban',
    'add rule inet request_guard bans_x ip saddr & 255.255.255.0 @ban_v4_24 goto refuse_ban',
    'add rule inet request_guard bans_x ip6 saddr & ffff:ffff:ffff:: @ban_v6_48 goto refuse_ban',
  ];
  const passed = (hook: string) => [
    `add rule inet request_guard ${hook} ip saddr @passed_4 accept`,
    `add rule inet request_guard ${hook} ip6 saddr @passed_6 accept`,
  ];
  assert.deepEqual(rulesOf('services'), [
    ...passed('input'),
    'add rule inet request_guard input tcp dport 2222 jump check',
    ...lookups,
  ]);
  assert.deepEqual(rulesOf('host').slice(0, 2), passed('prerouting'));
  assert.deepEqual(rulesOf('host').slice(5), [
    'add rule inet request_guard prerouting tcp dport 25 accept',
    'add rule inet request_guard prerouting jump check',
    ...lookups,
  ]);
});

test('a change that bans forgets which addresses passed', () => {
  assert.deepEqual(changeText([elementOf('192.0.2.1')]).slice(-2), [
    'flush set inet request_guard passed_4',
    'flush set inet request_guard passed_6',
  ]);
});

test('finds the table among others, and recognizes whose it is', () => {
  const ours = `table inet request_guard {\n\tchain ${ownerOf('/var/lib/guard')} {\n\t}\n}`;
  const others = 'table inet firewalld {\n\tchain input {\n\t}\n}\n';
  assert.equal(tableIn(`${others}${ours}\n${others}`), ours);
  assert.equal(tableIn(others), '');
  assert.ok(isOurs(ours));
  assert.ok(!isOurs('table inet request_guard {\n\tchain input {\n\t}\n}'));
  assert.notEqual(ownerOf('/var/lib/guard'), ownerOf('/var/lib/other'));
});
