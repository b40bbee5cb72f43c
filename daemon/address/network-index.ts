/** Values by address or network. Each new connection queries the values that cover its address. */

import { bitsOf, type Prefix, readAddress } from './prefix.ts';
import { mostCovering, PrefixMap } from './prefix-map.ts';

export class NetworkIndex<Value> {
  readonly #places = new PrefixMap();
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];
  /** Scratch space of `covering`. */
  readonly #words = new Uint32Array(4);
  readonly #found = new Uint32Array(mostCovering);

  get(prefix: Prefix): Value | undefined {
    return this.#values[this.#places.get(prefix)];
  }

  /** Adds the value or replaces the one of the same prefix. */
  set(prefix: Prefix, value: Value): void {
    const known = this.#places.get(prefix);
    const place = known < 0 ? (this.#free.pop() ?? this.#values.length) : known;
    this.#values[place] = value;
    if (known < 0) this.#places.set(prefix, place);
  }

  delete(prefix: Prefix): void {
    const place = this.#places.get(prefix);
    if (place < 0) return;
    this.#places.delete(prefix);
    this.#values[place] = undefined;
    this.#free.push(place);
  }

  /** The best of the values that cover an address, by `better`. Undefined: none does, or `ip` is not an address. */
  covering<Best>(ip: string, better: (value: Value, best: Best | undefined) => Best | undefined): Best | undefined {
    const family = readAddress(ip, this.#words);
    if (family === 0) return undefined;
    const count = this.#places.covering(family, this.#words, bitsOf[family], this.#found);
    let best: Best | undefined;
    for (let index = 0; index < count; index++)
      best = better(this.#values[this.#found[index] as number] as Value, best);
    return best;
  }
}
