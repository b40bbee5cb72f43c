import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { loadDaemon } from '../../../contract/load/daemon.ts';
import { loadPolicy } from '../../../contract/load/policy.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { parseHeader } from '../../../daemon/proxy-protocol/header.ts';
import { compile } from '../../../engine/index.ts';
import { createAddresses } from './addresses.ts';
import { targetsOf } from './http-targets.ts';
import { proxyHeader } from './proxy-header.ts';

function daemonOf(text: string) {
  const loaded = loadDaemon(Buffer.from(text), 'tcp-guard.yaml', {});
  assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
  return loaded.value;
}

test('writes PROXY headers of both versions that the daemon parses', () => {
  for (const ip of ['192.0.2.7', '2001:db8::7'])
    for (const version of ['v1', 'v2'] as const) {
      const bytes = proxyHeader(ip, 4711, version);
      const header = parseHeader(Buffer.concat([bytes, Buffer.from('rest')]));
      assert.ok(header.kind === 'header' && header.source, `${version} ${ip}`);
      assert.equal(header.length, bytes.length);
      assert.equal(header.source.port, 4711);
    }
});

describe('addresses of probes', () => {
  const daemon = daemonOf(`
global: {never_ban: [198.51.100.0/24], ip_filter: {deny: [203.0.113.0/24]}}
services:
  open: {listen: ":1", upstream: "h:1"}
  inner: {listen: ":2", upstream: "h:1", ip_filter: {allow: [10.0.0.0/8], deny: [10.0.0.1]}}
  none: {listen: ":3", upstream: "h:1", ip_filter: {allow: [203.0.113.0/24]}}`);
  const { open, inner, none } = daemon.services;
  assert.ok(open && inner && none);

  it('are allowed, can be banned, and are never used twice', () => {
    const { nextAllowed } = createAddresses(daemon);
    assert.deepEqual([nextAllowed(open), nextAllowed(open)], ['192.0.2.1', '192.0.2.2']);
    assert.deepEqual([nextAllowed(inner), nextAllowed(inner)], ['10.0.0.2', '10.0.0.3']);
    assert.equal(nextAllowed(none), undefined);
  });

  it('are refused when the probe needs a refused one', () => {
    const { nextDenied } = createAddresses(daemon);
    assert.equal(nextDenied(inner), '10.0.0.1');
    assert.equal(nextDenied(open), '203.0.113.1');
    assert.equal(createAddresses(daemonOf('{}')).nextDenied(open), undefined);
  });
});

describe('addresses with country rules', () => {
  const daemon = daemonOf(`
global: {geoip_db: /x.mmdb, geo_block: {deny_countries: [FR]}}
services:
  open: {listen: ":1", upstream: "h:1"}
  german: {listen: ":2", upstream: "h:1", geo_block: {allow_countries: [DE]}}`);
  const { open, german } = daemon.services;
  assert.ok(open && german);
  const countryOf = (ip: string): string => ({ '5': 'DE', '2': 'FR' })[ip.split('.')[0] ?? ''] ?? '';
  const { nextAllowed, nextGeoBlocked } = createAddresses(daemon, countryOf);

  it('come from the countries in the lists', () => {
    assert.match(nextAllowed(german) ?? '', /^5\./);
    assert.notEqual(countryOf(nextGeoBlocked(german) ?? ''), 'DE');
    assert.match(nextGeoBlocked(open) ?? '', /^2\./);
    assert.equal(nextAllowed(open), '198.51.100.1');
  });
});

describe('targets of a policy', () => {
  const policyOf = (text: string): Policy => {
    const loaded = loadPolicy(Buffer.from(text), 'guard.json');
    assert.ok(loaded.ok);
    return loaded.value;
  };
  it('include a blocked one and an allowed one, also with custom rules', () => {
    for (const text of ['{}', '{"enableDefaultPatterns":false,"blockPatterns":["^/secret-[a-z]+$"]}']) {
      const policy = policyOf(text);
      const { passing, blocked = '' } = targetsOf(policy, 'a.example');
      const verdicts = [passing, blocked].map(
        (target) => compile(policy).evaluate({ method: 'GET', target, headers: [] }).verdict,
      );
      assert.deepEqual(verdicts, ['allowed', 'blocked'], text);
    }
    assert.deepEqual(targetsOf(policyOf('{"enableDefaultPatterns":false}'), 'a.example'), { passing: '/probe' });
  });
});
