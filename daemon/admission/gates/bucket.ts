/**
 * Token buckets by key, with the algorithm GCRA. The table stores the time at which a bucket is full again, in
 * milliseconds.
 */
import type { TableStats } from '../../stats/stats.ts';

interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

export interface Buckets {
  /** Uses a token of the key. Returns false when the bucket is empty. The rate may differ from call to call. */
  readonly consume: (key: string, rate: Rate) => boolean;
  readonly reset: (key: string) => void;
  readonly stats: () => TableStats;
}

const minute = 60_000;
/** When a key is added, this many of the oldest buckets are checked. Buckets that are full again are removed. */
const checksPerKey = 4;

/**
 * Creates a table of buckets. In a full table, a new key evicts the bucket that was used least recently. `now` returns
 * milliseconds.
 */
export function createBuckets(capacity: number, now: () => number): Buckets {
  const fullAt = new Map<string, number>();
  const evict = (time: number) => {
    let checked = 0;
    for (const [key, at] of fullAt) {
      if (checked++ === checksPerKey) break;
      if (at <= time) fullAt.delete(key);
    }
    const oldest = fullAt.size >= capacity ? fullAt.keys().next().value : undefined;
    if (oldest !== undefined) fullAt.delete(oldest);
  };
  const consume = (key: string, { perMinute, burst }: Rate): boolean => {
    const time = now();
    const interval = minute / perMinute;
    const known = fullAt.get(key);
    // Limits the wait: a bucket that was emptied at a lower rate, before a reload, refills at the new rate.
    const at = Math.min(Math.max(known ?? time, time), time + interval * burst);
    if (at - time > interval * (burst - 1)) {
      fullAt.set(key, at);
      return false;
    }
    if (known === undefined) evict(time);
    else fullAt.delete(key); // `set` then adds the key at the end, so that the map is sorted by last use
    fullAt.set(key, at + interval);
    return true;
  };
  return { consume, reset: (key) => void fullAt.delete(key), stats: () => ({ entries: fullAt.size, capacity }) };
}
