/**
 * Values of a MaxMind DB (section "Output Data Section" of its specification), read where they lie: nothing is made of
 * them but the text or number that is asked for, so that a damaged file cannot ask for more memory or time than a step limit.
 */

const typeOf = { pointer: 1, text: 2, uint16: 5, uint32: 6, map: 7, uint64: 9, array: 11, boolean: 14 } as const;
const numbers: readonly number[] = [typeOf.uint16, typeOf.uint32, typeOf.uint64];
/** What a size means that does not stand for itself: bytes that follow, and what they are added to. */
const longSizes = [
  { bytes: 1, from: 29 },
  { bytes: 2, from: 285 },
  { bytes: 3, from: 65_821 },
] as const;
const pointerFrom = [0, 2048, 526_336, 0] as const;
/** Values that are looked at for one question: entries of the largest databases have some hundreds. */
const mostSteps = 10_000;
const mostHops = 4; // a pointer leads to no other pointer, says the specification
const longestText = 64;

interface Head {
  readonly type: number;
  /** Bytes, or members, or where a pointer leads to. */
  readonly size: number;
  /** What follows the head. */
  readonly next: number;
}

export class Values {
  readonly #bytes: Buffer;
  readonly #base: number;
  #steps = 0;

  /** Pointers count from `base`. */
  constructor(bytes: Buffer, base: number) {
    this.#bytes = bytes;
    this.#base = base;
  }

  /** The value of a key; undefined: it is not there, or `at` is no map. Throws for what is no value at all, as all do. */
  member(at: number | undefined, key: string): number | undefined {
    if (at === undefined) return undefined;
    const { type, size, next } = this.#resolved(at);
    if (type !== typeOf.map) return undefined;
    let place = next;
    for (let left = size; left > 0; left -= 1) {
      const value = this.#after(place);
      if (this.text(place) === key) return value;
      place = this.#after(value);
    }
    return undefined;
  }

  text(at: number | undefined): string | undefined {
    if (at === undefined) return undefined;
    const { type, size, next } = this.#resolved(at);
    if (type !== typeOf.text || size > longestText) return undefined;
    return this.#bytes.toString('latin1', next, next + size);
  }

  number(at: number | undefined): number | undefined {
    if (at === undefined) return undefined;
    const { type, size, next } = this.#resolved(at);
    if (!numbers.includes(type) || size > 6) return undefined;
    return size === 0 ? 0 : this.#bytes.readUIntBE(next, size);
  }

  /** For the next question. */
  reset(): this {
    this.#steps = 0;
    return this;
  }

  #resolved(at: number): Head {
    let head = this.#head(at);
    for (let hops = 0; head.type === typeOf.pointer; hops += 1) {
      if (hops === mostHops) throw new Error('a pointer leads nowhere');
      head = this.#head(head.size);
    }
    return head;
  }

  #head(at: number): Head {
    this.#steps += 1;
    if (this.#steps > mostSteps) throw new Error('a value does not end');
    const control = this.#bytes.readUInt8(at);
    if (control >> 5 === typeOf.pointer) return this.#pointer(control, at + 1);
    const isExtended = control >> 5 === 0;
    const type = isExtended ? this.#bytes.readUInt8(at + 1) + 7 : control >> 5;
    const next = at + (isExtended ? 2 : 1);
    const long = longSizes[(control & 31) - 29];
    if (!long) return { type, size: control & 31, next };
    return { type, size: long.from + this.#bytes.readUIntBE(next, long.bytes), next: next + long.bytes };
  }

  #pointer(control: number, at: number): Head {
    const form = (control >> 3) & 3;
    const high = form === 3 ? 0 : (control & 7) * 256 ** (form + 1);
    const target = high + this.#bytes.readUIntBE(at, form + 1) + (pointerFrom[form] ?? 0);
    return { type: typeOf.pointer, size: this.#base + target, next: at + form + 1 };
  }

  /** Where the value after this one begins. Values in it count; those that it points to do not. */
  #after(at: number): number {
    let place = at;
    for (let left = 1; left > 0; left -= 1) {
      const { type, size, next } = this.#head(place);
      place = next;
      if (type === typeOf.map) left += size * 2;
      else if (type === typeOf.array) left += size;
      else if (type !== typeOf.pointer && type !== typeOf.boolean) place += size;
    }
    return place;
  }
}
