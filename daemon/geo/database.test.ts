import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Reader } from 'maxmind';
import { randomNumbers } from '../inspectors/random.ts';
import { readDatabase } from './database.ts';
import { smallAddresses, smallMmdb } from './small-mmdb.ts';
import { geoDatabase } from './testing.ts';

const sound = () => assert.fail('the database is not damaged');

test('countries are those that the reader of MaxMind finds', () => {
  const bytes = readFileSync(geoDatabase);
  const theirs = new Reader<never>(bytes);
  const wanted = (ip: string) => (theirs.get(ip) as { country_code?: string } | null)?.country_code ?? '';
  const countryOf = readDatabase(bytes, sound);
  const random = randomNumbers(7);
  const part = (most: number) => Math.floor(random() * most);
  const seen = new Set<string>();
  for (let count = 0; count < 20_000; count += 1) {
    const ip =
      count % 2 === 0
        ? [part(256), part(256), part(256), part(256)].join('.')
        : `2${part(4096).toString(16)}:${part(65_536).toString(16)}::${part(65_536).toString(16)}`;
    const country = countryOf(ip);
    assert.equal(country, wanted(ip), ip);
    seen.add(country);
  }
  assert.ok(seen.size > 100, `${seen.size} countries`);
});

test('the country stands in one of three places', () => {
  const countryOf = readDatabase(smallMmdb, sound);
  for (const [code, ip] of Object.entries(smallAddresses)) assert.equal(countryOf(ip), code.slice(0, 2), ip);
  for (const ip of ['2001:db8::1', 'nobody', '']) assert.equal(countryOf(ip), '');
});

test('what is no database is refused', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('# text\n'), smallMmdb.subarray(-190), smallMmdb.subarray(0, 60)])
    assert.throws(() => readDatabase(bytes, sound), /MaxMind|range/);
});

/** Entries that ask for more than there is: by their size, by what they point to, by how deep they are. */
const bombs = {
  'a map with a list of 16 million': [0xe2, 0x41, 0x61, 0x1f, 0x04, 0xff, 0xff, 0xff],
  'a map of 16 million': [0xff, 0xff, 0xff, 0xff],
  'a map in which every value is itself': [0xfc, 0x41, 0x61, 0x20, 0x00, 0x41, 0x61, 0x20, 0x00, 0x41, 0x61],
  'a pointer to itself': [0x20, 0x00],
  'a pointer out of the file': [0x38, 0xff, 0xff, 0xff, 0xff],
};

for (const [name, entry] of Object.entries(bombs))
  test(`an entry that is ${name} has no country, at once`, () => {
    const bytes = Buffer.from(smallMmdb);
    bytes.set(entry, bytes.indexOf(0xe1)); // the first map
    let damages = 0;
    const countryOf = readDatabase(bytes, () => damages++);
    assert.equal(countryOf(smallAddresses.DE), '');
    assert.equal(damages, 1);
    assert.equal(countryOf(smallAddresses.FR), 'FR');
  });
