/** The ban list of generated requests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rangeLines } from '../../contract/policy/ban-list.ts';
import { parseAddress } from '../../contract/values/address.ts';
import { banListFile } from '../../engine/ban-list-file.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';

const mapped = 0xffffn << 32n;

function numberOf(text: string): bigint {
  const address = parseAddress(text);
  if (!address) throw new Error(`${text} is not an address`);
  return address.family === 4 ? mapped | address.value : address.value;
}

const hourSeconds = 3600;

/** First and last address, and the seconds until the ban ends. Sorted. */
const ranges = [
  ['8.8.4.0', '8.8.4.255', hourSeconds],
  ['10.0.0.9', '10.0.0.9', hourSeconds],
  ['10.0.0.77', '10.0.0.80', -hourSeconds],
  ['104.16.0.0', '104.16.0.7', hourSeconds],
  ['2001:db8::8', '2001:db8::ffff', hourSeconds],
] as const;

/** Returns the file. Its addresses are some of those that generated requests have, and of the preset cloudflare. */
export function generatedBans(): Buffer {
  const now = Math.floor(Date.now() / 1000);
  const lines = ranges.map(([start, end, seconds]) =>
    rangeLines({ start: numberOf(start), end: numberOf(end), until: now + seconds }),
  );
  return banListFile(lines, now);
}

/** Writes the file to a new folder, and returns its path. */
export function writeGeneratedBans(): string {
  const file = join(scratchFolder('guard-bans-'), 'bans');
  writeFileSync(file, generatedBans());
  return file;
}
