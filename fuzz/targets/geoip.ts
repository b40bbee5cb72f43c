/** GeoIP databases: one that is damaged is refused, or knows fewer countries. */
import assert from 'node:assert/strict';
import type { Random } from '../../contract/differential/random.ts';
import { mutated } from '../../contract/load/fuzz.ts';
import { type CountryOf, readDatabase } from '../../daemon/geo/database.ts';
import { smallAddresses, smallMmdb } from '../../daemon/geo/small-mmdb.ts';
import { target } from '../target.ts';

const addresses = [...Object.values(smallAddresses), '2001:db8::1', '::ffff:1.2.3.4'];
/** Controls of the format: pointers of every size, long texts, maps and lists, and types that there are not. */
const pieces = [
  ...[
    [0x20, 0x00],
    [0x28, 0, 0],
    [0x30, 0, 0, 0],
    [0x38, 0, 0, 0, 0],
    [0x38, 0xff, 0xff, 0xff, 0xff],
    [0x5f, 0xff, 0xff, 0xff],
  ],
  ...[
    [0xff, 0xff, 0xff, 0xff],
    [0x1f, 0x04, 0xff, 0xff, 0xff],
    [0x00, 0xff],
    [0x00],
    [0xe1],
    [0xab, 0xcd, 0xef],
    [0xff],
  ],
].map((bytes) => Buffer.from(bytes));

/** With bytes changed in place too: the tree leads elsewhere. */
function made(random: Random): Buffer {
  const bytes = random.once(2) ? Buffer.from(smallMmdb) : mutated(smallMmdb, random, pieces);
  for (let left = random.integer(6); left > 0 && bytes.length > 0; left -= 1)
    bytes[random.integer(bytes.length)] = random.integer(256);
  return bytes;
}

function opened(bytes: Buffer): CountryOf | undefined {
  try {
    return readDatabase(bytes, () => undefined);
  } catch {
    return undefined; // the daemon says so, and keeps the one before
  }
}

function check(bytes: Buffer): void {
  const countryOf = opened(bytes);
  for (const ip of addresses) assert.match(countryOf?.(ip) ?? '', /^(?:[A-Z]{2})?$/);
}

export const geoip = target({ name: 'GeoIP database', make: made, check });
