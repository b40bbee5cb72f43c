/** Counts different texts by their hashes. Beyond a bound, a sample of the hashes gives an estimate (Wegman). */

/** FNV-1a with 32 bits, then the finalizer of MurmurHash3, which spreads it over all bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const hashCount = 2 ** 32;

export class Distinct {
  readonly #sample = new Set<number>();
  readonly #mostHashes: number;
  /** Hashes below this are in the sample. */
  #sampleLimit = hashCount;

  constructor(most: number) {
    this.#mostHashes = most;
  }

  add(hash: number): void {
    if (hash >= this.#sampleLimit) return;
    this.#sample.add(hash);
    while (this.#sample.size > this.#mostHashes) {
      this.#sampleLimit /= 2;
      for (const one of this.#sample) if (one >= this.#sampleLimit) this.#sample.delete(one);
    }
  }

  get isExact(): boolean {
    return this.#sampleLimit === hashCount;
  }

  get count(): number {
    return this.#sample.size * (hashCount / this.#sampleLimit);
  }
}
