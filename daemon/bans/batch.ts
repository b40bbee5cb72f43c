/** Transfers records from the thread of the store as columns: typed arrays move between threads without a copy. */

import { type Family, readPrefixInto } from '../address/prefix.ts';
import type { BanRecord, StoredOrigin } from './records.ts';
import { isRow, type Row, timeOrInfinity } from './row.ts';

const wordsOfOne = 4;
/** The numbers of a record: family, length, level, three times, and the indexes of four texts. */
const numbersOfOne = 10;

/** A record as the store has it. `evidence`: its lines, or null. */
export interface StoredBan extends BanRecord {
  readonly evidence: string | null;
}

export interface Batch {
  readonly count: number;
  /** The number of rows that are not bans of this daemon, such as damaged ones. The batch does not contain them. */
  readonly unreadable: number;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly numbers: Float64Array<ArrayBuffer>;
  /** The texts of the batch: reasons, services, origins and evidence. */
  readonly texts: readonly (string | null)[];
}

/** The buffers to transfer. Afterwards this thread cannot read the batch. */
export const buffersOf = ({ words, numbers }: Batch): ArrayBuffer[] => [words.buffer, numbers.buffer];

/** Gives equal texts one index. Most rows repeat the previous text, so it is compared first. */
class Column {
  readonly #texts: (string | null)[];
  readonly #indexes = new Map<string | null, number>();
  #last: string | null | undefined;
  #index = 0;

  constructor(texts: (string | null)[]) {
    this.#texts = texts;
  }

  indexOf(text: string | null): number {
    if (text === this.#last) return this.#index;
    this.#last = text;
    this.#index = this.#indexes.get(text) ?? this.#texts.push(text) - 1;
    this.#indexes.set(text, this.#index);
    return this.#index;
  }
}

/** Collects rows until there are `size`. */
export class BatchWriter {
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #numbers: Float64Array<ArrayBuffer>;
  readonly #texts: (string | null)[] = [];
  readonly #reasons = new Column(this.#texts);
  readonly #services = new Column(this.#texts);
  readonly #origins = new Column(this.#texts);
  readonly #evidence = new Column(this.#texts);
  readonly #size: number;
  readonly #one = new Uint32Array(wordsOfOne);
  #count = 0;
  #unreadable = 0;

  constructor(size: number) {
    this.#size = size;
    this.#words = new Uint32Array(size * wordsOfOne);
    this.#numbers = new Float64Array(size * numbersOfOne);
  }

  isFull(): boolean {
    return this.#count + this.#unreadable >= this.#size;
  }

  add(row: readonly unknown[]): void {
    const prefix = isRow(row) ? readPrefixInto(row[0], this.#one) : undefined;
    if (!prefix) {
      this.#unreadable += 1;
      return;
    }
    const [, reason, service, origin, bannedAt, expiresAt, level, rememberedUntil, evidence] = row as Row;
    this.#words.set(prefix.words, this.#count * wordsOfOne);
    const numbers = this.#numbers;
    const at = this.#count * numbersOfOne;
    numbers[at] = prefix.family;
    numbers[at + 1] = prefix.length;
    numbers[at + 2] = level;
    numbers[at + 3] = bannedAt;
    numbers[at + 4] = timeOrInfinity(expiresAt);
    numbers[at + 5] = timeOrInfinity(rememberedUntil);
    numbers[at + 6] = this.#reasons.indexOf(reason);
    numbers[at + 7] = this.#services.indexOf(service);
    numbers[at + 8] = this.#origins.indexOf(origin);
    numbers[at + 9] = this.#evidence.indexOf(evidence);
    this.#count += 1;
  }

  batch(): Batch {
    const [words, numbers, texts] = [this.#words, this.#numbers, this.#texts];
    return { count: this.#count, unreadable: this.#unreadable, words, numbers, texts };
  }
}

/** Yields records that share one array of words: each is valid until the next one. */
export function* recordsOf({ count, words, numbers, texts }: Batch): Generator<StoredBan> {
  const one = new Uint32Array(wordsOfOne);
  for (let index = 0; index < count; index++) {
    for (let word = 0; word < wordsOfOne; word++) one[word] = words[index * wordsOfOne + word] as number;
    const at = index * numbersOfOne;
    const number = (which: number): number => numbers[at + which] as number;
    yield {
      prefix: { family: number(0) as Family, length: number(1), words: one },
      level: number(2),
      bannedAt: number(3),
      expiresAt: number(4),
      rememberedUntil: number(5),
      reason: texts[number(6)] as string,
      service: texts[number(7)] as string | null,
      origin: texts[number(8)] as StoredOrigin,
      evidence: texts[number(9)] as string | null,
    };
  }
}
