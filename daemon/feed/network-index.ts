/** Values by address or network, for the question of each new connection: which of them cover this address? */
import { PrefixTable } from '../bans/prefix-table.ts';
import { type Family, masked, type Prefix, readAddress } from '../bans/words.ts';

const strides = { 4: 1, 6: 4 } as const;

interface Lengths {
  /** By length of prefix: from words to places in `#values`. */
  readonly tables: (PrefixTable | undefined)[];
  /** Lengths whose table is not empty: only these are asked. */
  present: readonly number[];
}

const presentLengths = (tables: Lengths['tables']): number[] =>
  tables.flatMap((table, length) => (table && table.size > 0 ? [length] : []));

export class NetworkIndex<Value> {
  readonly #families: Record<Family, Lengths> = { 4: { tables: [], present: [] }, 6: { tables: [], present: [] } };
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #asked = new Uint32Array(4); // scratch of each

  #find({ family, words, length }: Prefix): number {
    const table = this.#families[family].tables[length];
    return table ? table.get(words[0] as number, words[1] as number, words[2] as number, words[3] as number) : -1;
  }

  get(prefix: Prefix): Value | undefined {
    const place = this.#find(prefix);
    return place < 0 ? undefined : this.#values[place];
  }

  /** Adds or replaces. */
  set(prefix: Prefix, value: Value): void {
    const known = this.#find(prefix);
    if (known >= 0) {
      this.#values[known] = value;
      return;
    }
    const place = this.#free.pop() ?? this.#values.length;
    this.#values[place] = value;
    const { family, words, length } = prefix;
    const lengths = this.#families[family];
    lengths.tables[length] ??= new PrefixTable(strides[family]);
    const table = lengths.tables[length];
    table.set(words[0] as number, words[1] as number, words[2] as number, words[3] as number, place);
    if (table.size === 1) lengths.present = presentLengths(lengths.tables);
  }

  delete(prefix: Prefix): void {
    const place = this.#find(prefix);
    if (place < 0) return;
    const { family, words, length } = prefix;
    const lengths = this.#families[family];
    const table = lengths.tables[length] as PrefixTable;
    table.delete(words[0] as number, words[1] as number, words[2] as number, words[3] as number);
    if (table.size === 0) lengths.present = presentLengths(lengths.tables);
    this.#values[place] = undefined;
    this.#free.push(place);
  }

  /** The best of the values that cover an address. Undefined: there is none, or `ip` is no address. */
  covering<Found>(ip: string, best: (value: Value, found: Found | undefined) => Found | undefined): Found | undefined {
    const asked = this.#asked;
    const family = readAddress(ip, asked);
    if (family === 0) return undefined;
    const { tables, present } = this.#families[family];
    let found: Found | undefined;
    for (const length of present) {
      const place = (tables[length] as PrefixTable).get(
        masked(asked[0] as number, 0, length),
        masked(asked[1] as number, 1, length),
        masked(asked[2] as number, 2, length),
        masked(asked[3] as number, 3, length),
      );
      if (place >= 0) found = best(this.#values[place] as Value, found);
    }
    return found;
  }
}
