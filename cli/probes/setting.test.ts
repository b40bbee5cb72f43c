import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as model from '../../contract/hosts/caddy.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { requestFor } from './probe.ts';
import { createSetting, isBypassed, ruleOf } from './setting.ts';

const peer = '172.17.0.1';
const setting = (file: object = {}) =>
  createSetting({ policy: Policy.parse(file), model, host: 'localhost:8080', peer });
const outcome = (target: string, file: object = {}) => setting(file).outcome(requestFor(target));

test('what must come of a request is the host model’s word, then the engine’s', () => {
  assert.deepEqual(outcome('/%zz'), { kind: 'refused', status: 400 });
  assert.equal(outcome('/.env').kind, 'blocked');
  assert.equal(ruleOf(outcome('/.env')), 'env-file');
  assert.equal(outcome('/.env', { mode: 'detect' }).kind, 'detected');
  const passed = outcome('/a"b');
  assert.ok(passed.kind === 'passed');
  assert.equal(passed.backend, '/a%22b');
});

test('the size of the whole head counts for the proxy’s limit', () => {
  const { outcome: of } = setting();
  const headers = [['X-Pad', 'x'.repeat(20_000)]] as const;
  assert.deepEqual(of({ ...requestFor('/'), headers: [...headers, ...headers] }), { kind: 'refused', status: 431 });
});

test('a header that the proxy drops is not looked at', () => {
  const { outcome: of } = setting({ checkHeaders: ['X-Original-URL'] });
  const withHeader = (name: string) => of({ ...requestFor('/'), headers: [[name, '/.env']] }).kind;
  assert.deepEqual([withHeader('X-Original-URL'), withHeader('X_Original_URL')], ['blocked', 'passed']);
});

test('the host of an absolute form takes the place of the header', () => {
  const file = { exceptions: [{ rules: ['env-file'], path: '^/', hosts: ['files.test'] }] };
  assert.notEqual(ruleOf(outcome('/.env', file)), undefined);
  assert.notEqual(ruleOf(outcome('http://files.test/.env', file)), 'env-file');
});

test('an allow list that holds our own address bypasses everything, and that is seen', () => {
  assert.equal(isBypassed(setting()), false);
  const bypassed = setting({ allowedIps: ['172.16.0.0/12'] });
  assert.equal(isBypassed(bypassed), true);
  assert.equal(bypassed.outcome(requestFor('/.env')).kind, 'passed');
});

test('where our X-Forwarded-For is believed, a neutral client stands in for us', () => {
  const trusted = setting({ allowedIps: ['172.16.0.0/12', '192.0.2.0/24'], trustedProxies: ['172.17.0.1'] });
  assert.deepEqual(trusted.clientHeaders, [['X-Forwarded-For', '198.51.100.1']]);
  assert.equal(isBypassed(trusted), false);
  const { clientHeaders } = trusted;
  assert.equal(trusted.outcome({ ...requestFor('/.env'), headers: clientHeaders }).kind, 'blocked');
});
