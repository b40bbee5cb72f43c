/**
 * The file with banned addresses that tcp-guard writes and the guards read (docs/ban-list.md). Every range has the same
 * number of bytes, so that readers search the bytes by bisection and parse nothing.
 *
 *     guard-bans 1 6a1b2c3d               version of the format, when it was written
 *     00000000000000000000ffffc0000201    first address of a range
 *     00000000000000000000ffffc0000201 6a1c7dbd    last address, end of the ban
 *     end 00000001 5f3c0a11               number of ranges, checksum
 *
 * Times are seconds since 1970. All numbers are lower-case hexadecimal. IPv4 is ::ffff:0:0/96. Ranges are sorted and do
 * not overlap, so all lines between the first and the last are sorted: Traefik's interpreter checks and searches them
 * with calls of compiled functions.
 */
import { limits } from './limits.ts';

export const banListVersion = 'guard-bans 1 ';
export const banListEnd = 'end ';
export const addressDigits = 32;
export const numberDigits = 8;
export const rangeBytes = addressDigits + 1 + addressDigits + 1 + numberDigits + 1;
/** Bytes of the first line, and of the last one. */
export const banListEdge = banListVersion.length + numberDigits + 1;
export const banListBytes = 2 * banListEdge + limits.banListRanges * rangeBytes;

/** Banned addresses, from `start` to `end`, until `until` (seconds since 1970). */
export interface BannedRange {
  readonly start: bigint;
  readonly end: bigint;
  readonly until: number;
}

export const hex = (value: bigint | number, digits: number): string => value.toString(16).padStart(digits, '0');

export const rangeLines = ({ start, end, until }: BannedRange): string =>
  `${hex(start, addressDigits)}\n${hex(end, addressDigits)} ${hex(until, numberDigits)}\n`;
