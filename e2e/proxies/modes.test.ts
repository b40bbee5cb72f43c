/** Sends the whole probe set to each real proxy with every kind of policy. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createProbeSet } from '../../cli/probes/probe-set.ts';
import { failuresText } from '../../cli/probes/report.ts';
import { plain } from '../../cli/program/paint.ts';
import { loadPolicy } from '../../contract/load/policy.ts';
import type { Policy, PolicyFile } from '../../contract/policy/schema.ts';
import type { Served } from './policies.ts';
import { referenceSection } from './references.ts';
import { testOnWire } from './wire/sections.ts';

const all = { methods: ['*'], checkQuery: true, checkBody: true };

const files: Record<string, PolicyFile> = {
  'the defaults': {},
  'everything inspected': { ...all, checkHeaders: ['X-Original-URL'] },
  'text with a custom body': { response: { body: 'nö', contentType: 'text/x', headers: { 'X-Own': 'yes' } } },
  json: { ...all, response: { mode: 'json', statusCode: 404 } },
  'json with a custom body': { ...all, response: { mode: 'json', body: '{"no":true}' } },
  html: { ...all, response: { mode: 'html' } },
  xml: { ...all, response: { mode: 'xml' } },
  redirect: { ...all, response: { mode: 'redirect', redirectUrl: 'https://away.example/?x=1', statusCode: 307 } },
  silent_drop: { ...all, response: { mode: 'silent_drop' } },
  ratelimit: { ...all, response: { mode: 'ratelimit', retryAfterSeconds: 77 } },
  fake_success: { ...all, response: { mode: 'fake_success' } },
  'fake_success with a custom body': { ...all, response: { mode: 'fake_success', body: 'fine' } },
  gzip_bomb: { ...all, response: { mode: 'gzip_bomb', gzipBombMb: 2 } },
  tarpit: { ...all, response: { mode: 'tarpit', tarpitDelayMs: 20, tarpitMaxDurationSeconds: 1 } },
  infinite_stream: { ...all, response: { mode: 'infinite_stream', streamSizeMb: 1 } },
  // The backend is also the target of mode proxy.
  proxy: { ...all, response: { mode: 'proxy', proxyUrl: 'http://127.0.0.1:9000' } },
  'captcha that challenges': {
    ...all,
    response: { mode: 'captcha', captcha: { provider: 'turnstile', siteKey: 'x' } },
  },
  'captcha that verifies': {
    ...all,
    secret: 'a secret of the tests',
    response: { mode: 'captcha', captcha: { provider: 'hcaptcha', siteKey: 'x', secretKey: 'y' } },
  },
  detect: { ...all, mode: 'detect', response: { mode: 'silent_drop' } },
  'no security log': { securityLog: false },
  'custom rules only': {
    enableDefaultPatterns: false,
    enableDefaultAllowPatterns: false,
    blockPatterns: ['(?i)^/internal/', '^/v[0-9]{2}/(?:a|b)$', '["`{}\\\\$%]'],
    allowPatterns: ['^/docs/'],
    rules: [{ id: 'own', action: 'block', pattern: '^x=1$', targets: ['query'] }],
    checkQuery: true,
  },
  'forms alone': { methods: ['POST'], checkBody: true },
};

const kinds = Object.keys(files);

function load(file: PolicyFile): Policy {
  const loaded = loadPolicy(Buffer.from(JSON.stringify(file)), 'policy');
  assert.ok(loaded.ok);
  return loaded.value;
}

async function playKinds(t: TestContext, sites: readonly Served[]): Promise<void> {
  for (const [index, kind] of kinds.entries()) {
    await t.test(kind, async (one) => {
      const { setting, send } = sites[index] as Served;
      const report = await send(createProbeSet(setting, []));
      assert.equal(report.counts.failed, 0, failuresText(report, plain));
      const { wire, match } = report.bySource;
      assert.ok(wire && match && wire.passed >= 4 && match.passed > 0);
      one.diagnostic(JSON.stringify(report.counts));
    });
  }
}

testOnWire({
  'policies of every kind': () => ({ policies: Object.values(files).map(load), run: playKinds }),
  'references under load': referenceSection,
});
