/**
 * Counts the most frequent keys in bounded memory, by the algorithm of Misra and Gries. A full table subtracts the
 * median weight from all weights (Anderson et al. 2017, "A High-Performance Algorithm for Identifying Frequent Items").
 */
import { keptCharacters } from './bounds.ts';

/** A row of a result. */
export interface Count {
  readonly name: string;
  readonly count: number;
}

export interface Entry<V> {
  readonly key: string;
  /** Value of this key since it last entered the table. */
  readonly value: V;
  /** Events since the key last entered the table. */
  count: number;
  /** Upper bound on the events of the key before it last entered the table. */
  readonly missed: number;
  /** Count for evictions: events minus the subtracted medians. */
  weight: number;
}

export class Counter<V = undefined> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #mostKeys: number;
  readonly #create: () => V;
  #mostMissed = 0;
  #hasEvicted = false;

  /** @param most number of keys. Default: the caller has few keys @param create returns the value for a new key */
  constructor(most = Number.POSITIVE_INFINITY, create: () => V = () => undefined as V) {
    this.#mostKeys = most;
    this.#create = create;
  }

  /** Counts events of a key. A count of 0 only adds the key. */
  add(key: string, count = 1): Entry<V> {
    let entry = this.#entries.get(key);
    if (!entry) {
      if (this.#entries.size === this.#mostKeys) this.#evict();
      entry = { key, value: this.#create(), count: 0, missed: this.#mostMissed, weight: 0 };
      this.#entries.set(key, entry);
    }
    entry.count += count;
    entry.weight += count;
    return entry;
  }

  /** Evicts at least half of the keys. */
  #evict(): void {
    const weights = Float64Array.from(this.#entries.values(), ({ weight }) => weight).sort();
    const median = weights[weights.length >> 1] as number;
    for (const [key, entry] of this.#entries) {
      entry.weight -= median;
      if (entry.weight <= 0) this.#entries.delete(key);
    }
    this.#mostMissed += median;
    this.#hasEvicted = true;
  }

  get isExact(): boolean {
    return !this.#hasEvicted;
  }

  /** Upper bound on the events of any key that was evicted. */
  get missed(): number {
    return this.#mostMissed;
  }

  /** Returns the keys with events, the oldest first. */
  entries(): Entry<V>[] {
    return [...this.#entries.values()].filter(({ count }) => count > 0);
  }

  /** Returns the keys with events, the most frequent first. */
  sorted(): Entry<V>[] {
    return this.entries().sort((one, other) => other.count - one.count || (one.key < other.key ? -1 : 1));
  }

  /** Returns the first rows, sorted by descending frequency. */
  counts(most = this.#entries.size): Count[] {
    return this.sorted()
      .slice(0, most)
      .map(({ key, count }) => ({ name: key, count }));
  }
}

/**
 * Returns the start of a text, as a copy: a substring would keep the whole chunk of the input in memory.
 * @param text one byte per character
 */
export const startOf = (text: string): string =>
  Buffer.from(text.slice(0, keptCharacters), 'latin1').toString('latin1');
