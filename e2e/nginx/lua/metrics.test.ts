import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { startGuarded, statusOf } from './guarded.ts';

const policies = {
  default: { rules: [{ id: 'custom.a_b', action: 'block', pattern: '^/quoted' }], response: { mode: 'json' } },
  detecting: { mode: 'detect' },
  off: { enabled: false },
};
const location = `location = /metrics { content_by_lua_block { require("guard.metrics").print() } }
    location /redirected { try_files /none /; }`;
const dictionary = 'lua_shared_dict guard_metrics 1m;';

const requests: readonly (readonly [policy: string | undefined, method: string, target: string])[] = [
  [undefined, 'GET', '/'],
  [undefined, 'GET', '/.env'],
  [undefined, 'GET', '/a/..%2f.env'],
  [undefined, 'GET', '/quoted'],
  [undefined, 'GET', '/redirected'],
  [undefined, 'PUT', '/.env'],
  ['detecting', 'GET', '/.git/config'],
  ['off', 'GET', '/.env'],
];

async function metricsOf(port: number): Promise<{ type: string | null; lines: string[] }> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.equal(response.status, 200);
  return { type: response.headers.get('content-type'), lines: (await response.text()).split('\n') };
}

const line = (verdict: string, reason: string, rule: string, mode: string, action: string, count: number): string =>
  `nginx_guard_verdicts_total{verdict="${verdict}",reason="${reason}",rule="${rule}",mode="${mode}",action="${action}"} ${count}`;

test('all workers count each verdict once, also across a reload', async (t) => {
  const nginx = await startGuarded(t, { policies, http: dictionary, server: location, workers: 2 });
  const send = async (): Promise<void> => {
    for (const [policy, method, target] of requests)
      await statusOf(nginx, { ...(policy !== undefined && { policy }), method, target, headers: [] });
  };
  await send();
  nginx.reload();
  await send();
  const { type, lines } = await metricsOf(nginx.port);
  assert.equal(type, 'text/plain; version=0.0.4; charset=utf-8');
  const blocked = 'block_pattern_match';
  // The metrics include their own request.
  assert.deepEqual(
    lines.filter((text) => !text.startsWith('#')),
    [
      line('allowed', 'disabled', '', 'enforce', '', 2),
      line('allowed', 'method_not_inspected', '', 'enforce', '', 2),
      line('allowed', 'no_match', '', 'enforce', '', 5),
      line('blocked', blocked, 'custom.a_b', 'enforce', 'json', 2),
      line('blocked', blocked, 'env-file', 'enforce', 'json', 2),
      line('blocked', blocked, 'hidden-seg', 'detect', 'text', 2),
      line('blocked', blocked, 'trav-enc', 'enforce', 'json', 2),
      'nginx_guard_held_requests 0',
      '',
    ],
  );
});

test('without the dictionary nothing is counted, and the error names the directive', async (t) => {
  const nginx = await startGuarded(t, { policies, server: location });
  assert.equal(await statusOf(nginx, { method: 'GET', target: '/.env', headers: [] }), 403);
  assert.equal((await fetch(`http://127.0.0.1:${nginx.port}/metrics`)).status, 500);
  const message = 'metrics need the directive "lua_shared_dict guard_metrics 1m" in the http block';
  await until(() => nginx.log().includes(message), 'the error');
});
