import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../platform/errors.ts';
import { addressText, adminAddress } from './address.ts';

test('accepts admin addresses in the notation of Caddy and as URLs', () => {
  const cases = {
    'http://localhost:2019': 'http://localhost:2019',
    'http://localhost:2019/': 'http://localhost:2019',
    localhost: 'http://localhost:2019',
    'http://localhost': 'http://localhost:2019',
    'http://localhost:80': 'http://localhost',
    '[::1]:2020': 'http://[::1]:2020',
    'unix//run/caddy.sock': 'unix//run/caddy.sock',
    'unix:///run/caddy.sock': 'unix//run/caddy.sock',
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(addressText(adminAddress(text)), expected, text);
});

test('says that the address comes before the policy', () => {
  assert.throws(() => adminAddress('guard.json'), {
    hint: /^write the address first: guardcli apply localhost:2019 guard.json/,
  });
});

test('refuses every other address', () => {
  for (const text of ['', 'ftp://x', 'http://', 'http://u@h:1', 'localhost:2019/config/', 'unix/', 'http://h/?x'])
    assert.throws(() => adminAddress(text), UsageError, text);
});
