/** A hash table from words to numbers, at most half full. Attackers cannot choose collisions: the seed is random. */
import { randomBytes } from 'node:crypto';

const seed = randomBytes(4).readUInt32LE();
const smallestCapacity = 16;

/** The last step of MurmurHash3. */
function mixBits(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

export type KeyWords = 1 | 2 | 4;

export class PrefixTable {
  /** The number of words that are stored for each key. Its other words are zero. */
  readonly #stride: KeyWords;
  #keys: Uint32Array;
  /** The value plus one. 0 marks a free slot. */
  #values: Uint32Array;
  #mask: number;
  #size = 0;

  constructor(stride: KeyWords) {
    this.#stride = stride;
    this.#keys = new Uint32Array(smallestCapacity * stride);
    this.#values = new Uint32Array(smallestCapacity);
    this.#mask = smallestCapacity - 1;
  }

  get size(): number {
    return this.#size;
  }

  #homeSlot(w0: number, w1: number, w2: number, w3: number): number {
    let hash = mixBits(w0 ^ seed);
    if (this.#stride > 1) hash = mixBits(hash ^ w1);
    if (this.#stride > 2) hash = mixBits(mixBits(hash ^ w2) ^ w3);
    return hash & this.#mask;
  }

  /** The index of the key. If the key is not in the table, the free index for it. */
  #slot(w0: number, w1: number, w2: number, w3: number): number {
    const keys = this.#keys;
    const values = this.#values;
    const mask = this.#mask;
    const stride = this.#stride;
    let slot = this.#homeSlot(w0, w1, w2, w3);
    while (values[slot] !== 0) {
      const at = slot * stride;
      if (keys[at] === w0) {
        if (stride === 1) return slot;
        if (keys[at + 1] === w1 && (stride === 2 || (keys[at + 2] === w2 && keys[at + 3] === w3))) return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** The value of a key. -1 when it is not in the table. */
  get(w0: number, w1: number, w2: number, w3: number): number {
    return (this.#values[this.#slot(w0, w1, w2, w3)] as number) - 1;
  }

  /** `value`: 0 to 2^32 - 2. */
  set(w0: number, w1: number, w2: number, w3: number, value: number): void {
    let slot = this.#slot(w0, w1, w2, w3);
    if (this.#values[slot] === 0) {
      if ((this.#size + 1) * 2 > this.#values.length) {
        this.#grow();
        slot = this.#slot(w0, w1, w2, w3);
      }
      this.#size++;
    }
    this.#write(slot, w0, w1, w2, w3);
    this.#values[slot] = value + 1;
  }

  #write(slot: number, w0: number, w1: number, w2: number, w3: number): void {
    const at = slot * this.#stride;
    this.#keys[at] = w0;
    if (this.#stride === 1) return;
    this.#keys[at + 1] = w1;
    if (this.#stride === 2) return;
    this.#keys[at + 2] = w2;
    this.#keys[at + 3] = w3;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#keys = new Uint32Array(keys.length * 2);
    this.#values = new Uint32Array(values.length * 2);
    this.#mask = this.#values.length - 1;
    this.#size = 0;
    for (let old = 0; old < values.length; old++) {
      if (values[old] === 0) continue;
      const at = old * this.#stride;
      const [w0, w1, w2, w3] = [keys[at] ?? 0, keys[at + 1] ?? 0, keys[at + 2] ?? 0, keys[at + 3] ?? 0];
      this.set(w0, w1, w2, w3, (values[old] as number) - 1);
    }
  }

  /** Deletes a key. Moves later entries of the probe sequence into the gap, so that no tombstone is needed. */
  delete(w0: number, w1: number, w2: number, w3: number): void {
    let hole = this.#slot(w0, w1, w2, w3);
    if (this.#values[hole] === 0) return;
    this.#size--;
    for (let slot = (hole + 1) & this.#mask; this.#values[slot] !== 0; slot = (slot + 1) & this.#mask) {
      if (((slot - this.#homeSlotOf(slot)) & this.#mask) < ((slot - hole) & this.#mask)) continue;
      this.#move(slot, hole);
      hole = slot;
    }
    this.#values[hole] = 0;
  }

  #homeSlotOf(slot: number): number {
    const keys = this.#keys;
    const at = slot * this.#stride;
    return this.#homeSlot(keys[at] ?? 0, keys[at + 1] ?? 0, keys[at + 2] ?? 0, keys[at + 3] ?? 0);
  }

  #move(from: number, to: number): void {
    this.#keys.copyWithin(to * this.#stride, from * this.#stride, (from + 1) * this.#stride);
    this.#values[to] = this.#values[from] as number;
  }
}
