import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPolicy } from '../../contract/load/index.ts';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { reportTargets, type TargetReport } from './targets.ts';

async function reports(file: PolicyFile): Promise<ReadonlyMap<string, TargetReport>> {
  const loaded = loadPolicy(new TextEncoder().encode(JSON.stringify(file)), 'guard.json');
  assert.ok(loaded.ok);
  return new Map((await reportTargets(loaded.value)).map((report) => [report.target, report]));
}

const logged: PolicyFile = { securityLogFile: '/var/log/guard.jsonl', tcp: {} };
const captcha = { provider: 'captcha-a', siteKey: 'k', secretKey: '${KEY}' };

/** A name, a policy, a target, and the keys at the start of its limits. */
const cases: readonly (readonly [string, PolicyFile, string, ...string[]])[] = [
  ['a plain policy', {}, 'traefik-yaml'],
  ['a plain policy', {}, 'caddy'],
  ['a plain policy', {}, 'nginx'],
  ['a plain policy', {}, 'tcp-guard'],
  ['a policy without a tcp section', { tcp: undefined }, 'tcp-guard', 'tcp'],
  ['events without a file', { securityLogFile: undefined }, 'nginx', 'securityLogFile'],
  ['no events', { securityLogFile: undefined, securityLog: false }, 'nginx'],
  ['a dropped connection', { response: { mode: 'silent_drop' } }, 'traefik-toml', 'response.mode'],
  ['a dropped connection', { response: { mode: 'silent_drop' } }, 'caddy'],
  ['trusted proxies', { trustedProxies: ['10.0.0.0/8'] }, 'traefik-labels', 'trustedProxies'],
  ['a forwarded header', { checkHeaders: ['X-Forwarded-Uri'] }, 'traefik-yaml', 'checkHeaders'],
  ['an underscore', { checkHeaders: ['X_Original_URL'] }, 'traefik-yaml'],
  ['an underscore', { checkHeaders: ['X_Original_URL'] }, 'caddy', 'checkHeaders'],
  ['an underscore', { checkHeaders: ['X-A', 'X_Original_URL'] }, 'nginx', 'checkHeaders'],
  ['a server by its name', { response: { mode: 'proxy', proxyUrl: 'http://pot.example' } }, 'nginx', 'response'],
  ['a server by its address', { response: { mode: 'proxy', proxyUrl: 'http://10.0.0.9' } }, 'nginx'],
  ['a captcha with variables', { response: { mode: 'captcha', captcha } }, 'nginx', 'response', 'secret'],
];

describe('limits of a target for a policy', () => {
  for (const [name, file, target, ...keys] of cases) {
    it(`${name} for ${target}: ${keys.join(', ') || 'nothing'}`, async () => {
      const report = (await reports({ ...logged, ...file })).get(target);
      assert.deepEqual(
        report?.limits.map((limit) => limit.slice(0, limit.indexOf(':'))),
        keys,
      );
      assert.equal(report.generates, true);
    });
  }
  it('include the reason when the target cannot hold the policy', async () => {
    const found = await reports({ ...logged, response: { headers: { 'x.y': 'z' } } });
    const { generates, limits } = found.get('traefik-labels') as TargetReport;
    assert.equal(generates, false);
    assert.match(limits.join(), /^not possible: response\.headers: /);
    assert.equal(found.get('traefik-yaml')?.generates, true);
  });
});
