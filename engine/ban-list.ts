/** Searches a ban list (contract/policy/ban-list.ts). */
import { addressDigits, hex, numberDigits, rangeBytes } from '../contract/policy/ban-list.ts';
import { limits } from '../contract/policy/limits.ts';
import type { Address } from '../contract/values/address.ts';
import { type ReadBanList, readBanList } from './ban-list-file.ts';

const endAt = addressDigits + 1;
const untilAt = endAt + addressDigits + 1;
const mapped = 0xffffn << 32n; // ::ffff:0:0/96

export interface BanTable {
  /** When the list was written, seconds since 1970. */
  readonly written: number;
  readonly count: number;
  /** Whether a ban of the address is in force. `now`: milliseconds since 1970. */
  readonly has: (address: Address, now?: number) => boolean;
}

export type OpenedBanTable = BanTable | { readonly fault: string };

/** Returns why the file is refused, or its table. */
export const openBanTable = (file: Buffer): OpenedBanTable => banTableOf(readBanList(file));

export function banTableOf(read: ReadBanList): OpenedBanTable {
  if ('fault' in read) return read;
  const { ranges, written } = read;
  const textAt = (at: number, length = addressDigits) => ranges.toString('latin1', at, at + length);
  /** Returns the offset of the last range that does not start after `key`, or a negative number. */
  const rangeBefore = (key: string): number => {
    let [low, high] = [0, ranges.length / rangeBytes];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (textAt(middle * rangeBytes) <= key) low = middle + 1;
      else high = middle;
    }
    return (low - 1) * rangeBytes;
  };
  return {
    written,
    count: ranges.length / rangeBytes,
    has: ({ family, value }, now = Date.now()) => {
      const key = hex(family === 4 ? mapped | value : value, addressDigits);
      const at = rangeBefore(key);
      if (at < 0 || key > textAt(at + endAt)) return false;
      const until = Number.parseInt(textAt(at + untilAt, numberDigits), 16);
      return now / 1000 < Math.min(until, written + limits.banListSeconds);
    },
  };
}
