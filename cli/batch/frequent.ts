/**
 * Counts of the most frequent of any number of different keys, in bounded memory: the algorithm of Misra and Gries, with
 * the median taken off at once (Anderson et al. 2017, "A High-Performance Algorithm for Identifying Frequent Items").
 */

export interface Entry<V> {
  readonly key: string;
  /** What is kept for this key since it was last new. */
  readonly value: V;
  /** Events of this key since it was last new: not more than there were. */
  count: number;
  /** The most that there can have been before. */
  readonly missed: number;
  /** Decides who is forgotten. */
  weight: number;
}

export class Frequent<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #most: number;
  readonly #create: () => V;
  #missed = 0;
  #hasForgotten = false;

  /** Keeps up to `most` keys, each with what `create` makes for it. */
  constructor(most: number, create: () => V) {
    this.#most = most;
    this.#create = create;
  }

  /** Counts `count` events of `key`; 0 keeps the key where there is room for it. */
  add(key: string, count: number): Entry<V> {
    let entry = this.#entries.get(key);
    if (!entry) {
      if (this.#entries.size === this.#most) this.#forget();
      entry = { key, value: this.#create(), count: 0, missed: this.#missed, weight: 0 };
      this.#entries.set(key, entry);
    }
    entry.count += count;
    entry.weight += count;
    return entry;
  }

  /** Takes the median weight off every key; at least half of them have none left. */
  #forget(): void {
    const weights = Float64Array.from(this.#entries.values(), ({ weight }) => weight).sort();
    const median = weights[weights.length >> 1] as number;
    for (const [key, entry] of this.#entries) {
      entry.weight -= median;
      if (entry.weight <= 0) this.#entries.delete(key);
    }
    this.#missed += median;
    this.#hasForgotten = true;
  }

  /** Whether every key is kept. */
  get isExact(): boolean {
    return !this.#hasForgotten;
  }

  /** The most events that a key that is not kept can have. */
  get missed(): number {
    return this.#missed;
  }

  /** The keys that have events, the most frequent first. */
  sorted(): Entry<V>[] {
    const counted = [...this.#entries.values()].filter(({ count }) => count > 0);
    return counted.sort((one, other) => other.count - one.count || (one.key < other.key ? -1 : 1));
  }
}
