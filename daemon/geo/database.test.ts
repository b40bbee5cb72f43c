import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readDatabase } from './database.ts';
import { geoDatabase } from './testing/geo.ts';

const bytes = readFileSync(geoDatabase);

test('returns the country of an address, or none', async () => {
  const countryOf = await readDatabase(bytes);
  assert.deepEqual(['8.8.8.8', '2001:4860:4860::8888', '127.0.0.1'].map(countryOf), ['US', 'US', '']);
});

test('refuses a file that is not a database, and a truncated one', async () => {
  for (const damaged of [Buffer.alloc(0), Buffer.from('# text\n'), bytes.subarray(0, bytes.length / 2)])
    await assert.rejects(readDatabase(damaged));
});

const mark = bytes.lastIndexOf(Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'));

/** Damages: an offset, a byte, and how often the byte is written. */
const damages: Readonly<Record<string, readonly [at: number, value: number, count: number]>> = {
  'entries that are endlessly nested': [mark - 1500, 0xff, 1500],
  'a node that leads behind the end': [6, 0xff, 6],
  'a page of zeros that are pointers': [mark - 1500, 0x2f, 1500],
};

for (const [what, [at, value, count]] of Object.entries(damages))
  test(`refuses ${what}`, async () => {
    const damaged = Buffer.from(bytes).fill(value, at, at + count);
    await assert.rejects(readDatabase(damaged), /^Error: damaged: .*install the file again$/);
  });
