import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readDatabase } from './database.ts';
import { geoDatabase } from './testing.ts';

const bytes = readFileSync(geoDatabase);

test('returns the country of an address, or none', () => {
  const countryOf = readDatabase(bytes, () => assert.fail('the database is intact'));
  assert.deepEqual(['8.8.8.8', '2001:4860:4860::8888', '127.0.0.1'].map(countryOf), ['US', 'US', '']);
});

test('refuses a file that is not a database, and a truncated one', () => {
  for (const damaged of [Buffer.alloc(0), Buffer.from('# text\n'), bytes.subarray(0, bytes.length / 2)])
    assert.throws(() => readDatabase(damaged, () => {}));
});

test('reports a damaged entry, and its address has no country', () => {
  const damaged = Buffer.from(bytes);
  const mark = damaged.lastIndexOf(Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'));
  damaged.fill(0xff, mark - 1500, mark); // endlessly nested maps instead of countries
  let calls = 0;
  const countryOf = readDatabase(damaged, () => calls++);
  assert.equal(countryOf('8.8.8.8'), '');
  assert.equal(calls, 1);
});
