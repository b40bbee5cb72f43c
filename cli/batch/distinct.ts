/**
 * Counts different texts. The count is exact up to a bound. Beyond it, the count is estimated from a sample of their
 * hashes (Wegman).
 */

/** Returns a 32-bit hash: FNV-1a, then the finalizer of MurmurHash3, which spreads it over all bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const hashes = 2 ** 32;

export class Distinct {
  readonly #kept = new Set<number>();
  readonly #most: number;
  /** Hashes below this are in the sample. */
  #below = hashes;

  constructor(most: number) {
    this.#most = most;
  }

  add(hash: number): void {
    if (hash >= this.#below) return;
    this.#kept.add(hash);
    while (this.#kept.size > this.#most) {
      this.#below /= 2;
      for (const one of this.#kept) if (one >= this.#below) this.#kept.delete(one);
    }
  }

  get isExact(): boolean {
    return this.#below === hashes;
  }

  get count(): number {
    return this.#kept.size * (hashes / this.#below);
  }
}
