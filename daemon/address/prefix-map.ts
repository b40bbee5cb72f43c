/** Maps addresses and networks to numbers. A lookup takes one step for each prefix length in use. */

import { type Family, maskedWord, type Prefix, type Words } from './prefix.ts';
import { type KeyWords, PrefixTable } from './prefix-table.ts';

const keyWords = (length: number): KeyWords => (length <= 32 ? 1 : length <= 64 ? 2 : 4);

interface Lengths {
  readonly tables: (PrefixTable | undefined)[];
  /** The prefix lengths whose table is not empty, shortest first. */
  present: readonly number[];
}

const presentLengths = (tables: Lengths['tables']): number[] =>
  tables.flatMap((table, length) => (table && table.size > 0 ? [length] : []));

/** The largest number of prefixes that cover an address: one of each length. */
export const mostCoveringPrefixes = 129;

export class PrefixMap {
  readonly #families: Record<Family, Lengths> = { 4: { tables: [], present: [] }, 6: { tables: [], present: [] } };

  /** The number of exactly this prefix. -1 when it is not in the map. */
  get({ family, words, length }: Prefix): number {
    const table = this.#families[family].tables[length];
    return table ? table.get(words[0] as number, words[1] as number, words[2] as number, words[3] as number) : -1;
  }

  set({ family, words, length }: Prefix, value: number): void {
    const lengths = this.#families[family];
    lengths.tables[length] ??= new PrefixTable(keyWords(length));
    const table = lengths.tables[length];
    table.set(words[0] as number, words[1] as number, words[2] as number, words[3] as number, value);
    if (table.size === 1) lengths.present = presentLengths(lengths.tables);
  }

  delete({ family, words, length }: Prefix): void {
    const lengths = this.#families[family];
    const table = lengths.tables[length];
    if (!table) return;
    table.delete(words[0] as number, words[1] as number, words[2] as number, words[3] as number);
    if (table.size === 0) lengths.present = presentLengths(lengths.tables);
  }

  /** Writes the numbers of prefixes of up to `most` bits that cover an address, widest first. Returns their count. */
  covering(family: Family, words: Words, most: number, out: Uint32Array): number {
    const { tables, present } = this.#families[family];
    const [w0, w1, w2, w3] = [words[0] as number, words[1] as number, words[2] as number, words[3] as number];
    let count = 0;
    for (const length of present) {
      if (length > most) break;
      const table = tables[length] as PrefixTable;
      const value = table.get(
        maskedWord(w0, 0, length),
        maskedWord(w1, 1, length),
        maskedWord(w2, 2, length),
        maskedWord(w3, 3, length),
      );
      if (value >= 0) out[count++] = value;
    }
    return count;
  }
}
