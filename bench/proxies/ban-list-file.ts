import { writeFileSync } from 'node:fs';
import { rangeLines } from '../../contract/policy/ban-list.ts';
import { banListFile } from '../../engine/ban-list-file.ts';

/** `::ffff:1.0.0.0`, as a number: no client of a benchmark is banned. */
const firstBanned = 0xffff01000000n;

export const seconds = (): number => Math.floor(Date.now() / 1000);

/** Writes a ban list as tcp-guard publishes it: ranges at equal distances, each of `addresses` addresses, for an hour. */
export function writeBanList(file: string, ranges: number, distance: number, addresses = 1, now = seconds()): void {
  const lines = Array.from({ length: ranges }, (_, index) => {
    const start = firstBanned + BigInt(index * distance);
    return rangeLines({ start, end: start + BigInt(addresses - 1), until: now + 3600 });
  });
  writeFileSync(file, banListFile(lines, now));
}
