/** Values by address or network. Each new connection looks up the values that cover its address. */

import { bitsOf, type Prefix, readAddress } from './prefix.ts';
import { mostCoveringPrefixes, PrefixMap } from './prefix-map.ts';

export class NetworkIndex<Value> {
  readonly #indexes = new PrefixMap();
  readonly #values: (Value | undefined)[] = [];
  readonly #freeIndexes: number[] = [];
  readonly #words = new Uint32Array(4);
  readonly #foundIndexes = new Uint32Array(mostCoveringPrefixes);

  get(prefix: Prefix): Value | undefined {
    return this.#values[this.#indexes.get(prefix)];
  }

  set(prefix: Prefix, value: Value): void {
    const known = this.#indexes.get(prefix);
    const index = known < 0 ? (this.#freeIndexes.pop() ?? this.#values.length) : known;
    this.#values[index] = value;
    if (known < 0) this.#indexes.set(prefix, index);
  }

  delete(prefix: Prefix): void {
    const index = this.#indexes.get(prefix);
    if (index < 0) return;
    this.#indexes.delete(prefix);
    this.#values[index] = undefined;
    this.#freeIndexes.push(index);
  }

  /** The values that cover all of an address or network, widest first. */
  allCovering({ family, words, length }: Prefix): Value[] {
    const count = this.#indexes.covering(family, words, length, this.#foundIndexes);
    return Array.from(this.#foundIndexes.subarray(0, count), (index) => this.#values[index] as Value);
  }

  /**
   * Calls `better` with each value that covers the address, widest first, and with its previous result. Returns the
   * last result, or undefined without a call.
   */
  covering<Best>(ip: string, better: (value: Value, best: Best | undefined) => Best | undefined): Best | undefined {
    const family = readAddress(ip, this.#words);
    if (family === 0) return undefined;
    const count = this.#indexes.covering(family, this.#words, bitsOf[family], this.#foundIndexes);
    let best: Best | undefined;
    for (let index = 0; index < count; index++)
      best = better(this.#values[this.#foundIndexes[index] as number] as Value, best);
    return best;
  }
}
