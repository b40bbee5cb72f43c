/** Token buckets by key (GCRA). A bucket is one number: when its next token is due. The number of keys is bounded. */
import type { TableStats } from '../../stats/stats.ts';

interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

export interface Buckets {
  /** Uses a token of the key. Returns false when the bucket is empty. The rate may differ from call to call. */
  readonly consume: (key: string, rate: Rate) => boolean;
  /** Fills the bucket of a key. */
  readonly reset: (key: string) => void;
  readonly stats: () => TableStats;
}

const minute = 60_000;
/** The number of entries that one new key may evict. It bounds the cost of each arrival. */
const sweep = 4;

/** `now`: milliseconds. A full table evicts its oldest keys, full buckets first. */
export function createBuckets(capacity: number, now: () => number): Buckets {
  const due = new Map<string, number>();
  const forget = (time: number) => {
    let looked = 0;
    for (const [key, at] of due) {
      if (looked++ === sweep) break;
      if (at <= time) due.delete(key);
    }
    const oldest = due.size >= capacity ? due.keys().next().value : undefined;
    if (oldest !== undefined) due.delete(oldest);
  };
  const consume = (key: string, { perMinute, burst }: Rate): boolean => {
    const time = now();
    const interval = minute / perMinute;
    const known = due.get(key);
    // Clamp to an empty bucket at this rate: the rate may have been lower before a reload.
    const at = Math.min(Math.max(known ?? time, time), time + interval * burst);
    if (at - time > interval * (burst - 1)) {
      due.set(key, at);
      return false;
    }
    if (known === undefined) forget(time);
    else due.delete(key); // moves the key to the end, so that the map is sorted by last use
    due.set(key, at + interval);
    return true;
  };
  return { consume, reset: (key) => void due.delete(key), stats: () => ({ entries: due.size, capacity }) };
}
