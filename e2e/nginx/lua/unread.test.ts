import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGuarded, statusOf } from './guarded.ts';

const read = { methods: ['*'], checkBody: true, response: { mode: 'json', statusCode: 404 } };
const policies = { default: read, detecting: { ...read, mode: 'detect' } };
const message = { method: 'POST', headers: [['Content-Type', 'application/json'] as const], body: '"/.env"' };
const reasonOf = ({
  type,
  reason,
  target,
  status,
  overflow,
  inspected_values,
  inspected_bytes,
}: object & {
  readonly [name: string]: unknown;
}) => [type, reason, target, status, overflow, inspected_values, inspected_bytes];

test('a body that nginx cannot read gets 500 in mode enforce, and an event in mode detect', async (t) => {
  const nginx = await startGuarded(t, { policies, lua: 'ngx.req.read_body = function() error("unsupported") end' });
  assert.equal(await statusOf(nginx, message), 500);
  assert.deepEqual(nginx.events(), []);
  assert.equal(await statusOf(nginx, { ...message, policy: 'detecting' }), 200);
  assert.deepEqual(nginx.events().map(reasonOf), [['guard_detect', 'limit_body', 'body', 500, 'unread', 0, 0]]);
  assert.match(nginx.log(), /the body cannot be read; .*unsupported/);
});

test('what decides before the body is reported as ever, where nginx cannot read it', async (t) => {
  const nginx = await startGuarded(t, { policies, lua: 'ngx.req.read_body = function() error("unsupported") end' });
  assert.equal(await statusOf(nginx, { ...message, target: '/.env', policy: 'detecting' }), 200);
  assert.deepEqual(nginx.events().map(reasonOf), [
    ['guard_detect', 'block_pattern_match', 'path', 404, undefined, undefined, undefined],
  ]);
});

test('an engine that fails before it needs the body reports no body', async (t) => {
  const lua = 'require("guard.engine").evaluate = function() error("a bug") end';
  const nginx = await startGuarded(t, { policies, lua });
  assert.equal(await statusOf(nginx, { ...message, policy: 'detecting' }), 200);
  assert.deepEqual(nginx.events(), []);
});
