import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Captcha, Exception, Policy, Response, Rule } from '../policy/schema.ts';
import { camelCase, snakeCase, snakeCaseKeys } from './keys.ts';

const specified = [
  'security_log',
  'enable_default_patterns',
  'enable_default_allow_patterns',
  'check_query',
  'check_headers',
  'block_patterns',
  'allow_patterns',
  'allowed_ips',
  'status_code',
  'redirect_url',
  'proxy_url',
  'gzip_bomb_mb',
  'retry_after_seconds',
  'tarpit_delay_ms',
  'stream_size_mb',
  'site_key',
];

it('gives the keys of the proxies as specified', () => {
  const keys = [Policy, Response, Captcha].flatMap(({ shape }) => Object.keys(shape).map(snakeCase));
  assert.deepEqual(
    specified.filter((key) => !keys.includes(key)),
    [],
  );
});

it('goes there and back for every key', () => {
  const keys = [Policy, Rule, Exception, Response, Captcha].flatMap(({ shape }) => Object.keys(shape));
  assert.deepEqual(keys.map(snakeCase).map(camelCase), keys);
});

it('leaves header names and the daemon part alone', () => {
  const file = { allowedIps: ['10.0.0.1'], response: { statusCode: 404, headers: { 'X-Aa': 'bB' } }, tcp: { aB: 1 } };
  assert.deepEqual(snakeCaseKeys(file), {
    allowed_ips: ['10.0.0.1'],
    response: { status_code: 404, headers: { 'X-Aa': 'bB' } },
    tcp: { aB: 1 },
  });
});

it('converts the entries of lists', () => {
  assert.deepEqual(snakeCaseKeys([{ aB: [{ cD: null }] }]), [{ a_b: [{ c_d: null }] }]);
});
