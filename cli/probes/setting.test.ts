import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Policy } from '../../contract/policy/schema.ts';
import * as model from '../../engine/hosts/caddy.ts';
import { requestFor } from './probe.ts';
import { createSetting, isBypassed, ruleOf } from './setting.ts';

const peer = '172.17.0.1';
const setting = (file: object = {}) =>
  createSetting({ policy: Policy.parse(file), model, host: 'localhost:8080', peer });
const outcome = (target: string, file: object = {}) => setting(file).outcome(requestFor(target));

test('computes the expected outcome with the host model, then the engine', () => {
  assert.deepEqual(outcome('/%zz'), { kind: 'refused', status: 400 });
  assert.equal(outcome('/.env').kind, 'blocked');
  assert.equal(ruleOf(outcome('/.env')), 'env-file');
  assert.equal(outcome('/.env', { mode: 'detect' }).kind, 'detected');
  const passed = outcome('/a"b');
  assert.ok(passed.kind === 'passed');
  assert.equal(passed.backend, '/a%22b');
});

test('counts the whole head against the limit of the proxy', () => {
  const { outcome: of } = setting();
  const headers = [['X-Pad', 'x'.repeat(20_000)]] as const;
  assert.deepEqual(of({ ...requestFor('/'), headers: [...headers, ...headers] }), { kind: 'refused', status: 431 });
});

test('ignores a header that the proxy drops', () => {
  const { outcome: of } = setting({ checkHeaders: ['X-Original-URL'] });
  const withHeader = (name: string) => of({ ...requestFor('/'), headers: [[name, '/.env']] }).kind;
  assert.deepEqual([withHeader('X-Original-URL'), withHeader('X_Original_URL')], ['blocked', 'passed']);
});

test('uses the host of an absolute-form target instead of the header', () => {
  const file = { exceptions: [{ rules: ['env-file'], path: '^/', hosts: ['files.test'] }] };
  assert.notEqual(ruleOf(outcome('/.env', file)), undefined);
  assert.notEqual(ruleOf(outcome('http://files.test/.env', file)), 'env-file');
});

test('detects an allow list that contains our own address', () => {
  assert.equal(isBypassed(setting()), false);
  const bypassed = setting({ allowedIps: ['172.16.0.0/12'] });
  assert.equal(isBypassed(bypassed), true);
  assert.equal(bypassed.outcome(requestFor('/.env')).kind, 'passed');
});

test('uses a neutral client address when the policy trusts our X-Forwarded-For', () => {
  const trusted = setting({ allowedIps: ['172.16.0.0/12', '192.0.2.0/24'], trustedProxies: ['172.17.0.1'] });
  assert.deepEqual(trusted.clientHeaders, [['X-Forwarded-For', '198.51.100.1']]);
  assert.equal(isBypassed(trusted), false);
  const { clientHeaders } = trusted;
  assert.equal(trusted.outcome({ ...requestFor('/.env'), headers: clientHeaders }).kind, 'blocked');
});
