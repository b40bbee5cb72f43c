import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPolicy } from '../../contract/load/index.ts';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { targets } from '../generate/index.ts';
import { limitsOf, reportTargets, type TargetReport } from './targets.ts';

async function reports(file: PolicyFile): Promise<ReadonlyMap<string, TargetReport>> {
  const loaded = loadPolicy(new TextEncoder().encode(JSON.stringify(file)), 'guard.json');
  assert.ok(loaded.ok);
  return new Map((await reportTargets(loaded.value)).map((report) => [report.target, report]));
}

const logged: PolicyFile = { securityLogFile: '/var/log/guard.jsonl', tcp: {} };
const captcha = { provider: 'captcha-a', siteKey: 'k', secretKey: '${KEY}' };

/** A policy, a target, and the keys that its limits begin with. */
const told: readonly (readonly [string, PolicyFile, string, ...string[]])[] = [
  ['a plain policy', {}, 'proxya-yaml'],
  ['a plain policy', {}, 'proxyb'],
  ['a plain policy', {}, 'proxyc'],
  ['a plain policy', {}, 'tcp-guard'],
  ['a policy without a daemon', { tcp: undefined }, 'tcp-guard', 'tcp'],
  ['events without a file', { securityLogFile: undefined }, 'proxyc', 'securityLogFile'],
  ['no events', { securityLogFile: undefined, securityLog: false }, 'proxyc'],
  ['a dropped connection', { response: { mode: 'silent_drop' } }, 'proxya-toml', 'response.mode'],
  ['a dropped connection', { response: { mode: 'silent_drop' } }, 'proxyb'],
  ['trusted proxies', { trustedProxies: ['10.0.0.0/8'] }, 'proxya-labels', 'trustedProxies'],
  ['a forwarded header', { checkHeaders: ['X-Forwarded-Uri'] }, 'proxya-yaml', 'checkHeaders'],
  ['an underscore', { checkHeaders: ['X_Original_URL'] }, 'proxya-yaml'],
  ['an underscore', { checkHeaders: ['X_Original_URL'] }, 'proxyb', 'checkHeaders'],
  ['an underscore', { checkHeaders: ['X-A', 'X_Original_URL'] }, 'proxyc', 'checkHeaders'],
  ['a server by its name', { response: { mode: 'proxy', proxyUrl: 'http://pot.example' } }, 'proxyc', 'response'],
  ['a server by its address', { response: { mode: 'proxy', proxyUrl: 'http://10.0.0.9' } }, 'proxyc'],
  ['a captcha with variables', { response: { mode: 'captcha', captcha } }, 'proxyc', 'response', 'secret'],
];

describe('what a target makes of a policy', () => {
  it('is known of every target', () =>
    assert.deepEqual(Object.keys(limitsOf).sort(), targets.map(({ name }) => name).sort()));
  for (const [name, file, target, ...keys] of told) {
    it(`${name} for ${target}: ${keys.join(', ') || 'nothing'}`, async () => {
      const report = (await reports({ ...logged, ...file })).get(target);
      assert.deepEqual(
        report?.limits.map((limit) => limit.slice(0, limit.indexOf(':'))),
        keys,
      );
      assert.equal(report.generates, true);
    });
  }
  it('is a refusal where it cannot be written', async () => {
    const found = await reports({ ...logged, response: { headers: { 'x.y': 'z' } } });
    const { generates, limits } = found.get('proxya-labels') as TargetReport;
    assert.equal(generates, false);
    assert.match(limits.join(), /^not possible: response\.headers: /);
    assert.equal(found.get('proxya-yaml')?.generates, true);
  });
});
