import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateNginx } from '../../../cli/generate/nginx.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { until } from '../../../platform/testing/until.ts';
import { bytesOf, startGuarded } from './guarded.ts';
import { exchangeBytes } from './respond/wire.ts';

const [declaration = assert.fail()] = /^map .*$/m.exec(generateNginx(Policy.parse({}))) ?? [];

const policies = {
  default: {},
  text: { response: { mode: 'text' } },
  decoy: { response: { mode: 'fake_success' } },
  own: { response: { mode: 'json', body: '[[reference]]', headers: { 'X-Guard-Reference': 'of the policy' } } },
  silent: { securityLog: false, response: { mode: 'text' } },
  detect: { mode: 'detect' },
};

/** For each policy: whether the response shows the reference, and the body without the line of the reference. */
const shown = {
  text: [true, '403 Forbidden\n'],
  decoy: [false, /^APP_NAME=/],
  own: [true, '[[reference]]'],
  silent: [false, '403 Forbidden\n'],
  detect: [false, 'passed\n'],
} as const;

test('each response mode shows the reference or hides it, and the access log has it', async (t) => {
  const http = `${declaration}\n  log_format reference "$http_x_policy[$guard_reference]";`;
  const nginx = await startGuarded(t, { policies, http, server: 'access_log access.log reference;' });
  const logged = () => readFileSync(join(nginx.folder, 'access.log'), 'utf8').trimEnd().split('\n');
  for (const [policy, [isShown, body]] of Object.entries(shown)) {
    const before = nginx.events().length;
    const response = await exchangeBytes(nginx.port, bytesOf({ target: '/.env', policy }));
    const [head = '', received = ''] = response.split('\r\n\r\n');
    const { reference = '' } = nginx.events()[before] ?? {};
    assert.match(reference, policy === 'silent' ? /^$/ : /^[0-9A-Z]{10}$/, policy);
    const headers = [...head.matchAll(/^X-Guard-Reference: (.*)\r?$/gm)].map(([, value]) => value?.trim());
    assert.deepEqual(headers, isShown ? [reference] : [], policy);
    const text = received.replace(`Reference: ${reference}\n`, '');
    if (typeof body === 'string') assert.equal(text, body, policy);
    else assert.match(text, body, policy);
    await until(() => logged().includes(`${policy}[${reference}]`), `the access log of ${policy}`);
  }
});

test('a configuration without the variable, and a text with a reference', async (t) => {
  const nginx = await startGuarded(t, { policies: { default: { response: { mode: 'text' } } } });
  const response = await exchangeBytes(nginx.port, bytesOf({ target: '/.env' }));
  const reference = nginx.events()[0]?.reference ?? assert.fail();
  assert.ok(response.endsWith(`403 Forbidden\nReference: ${reference}\n`), response);
  assert.doesNotMatch(nginx.log(), /\[error\]/);
});
