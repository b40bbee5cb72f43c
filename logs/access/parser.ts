import { type FormatName, formatOf, formats } from './formats.ts';
import type { ParsedLine } from './request.ts';

/** A later line may replace these formats: any program can write JSON with the usual names. */
const uncertainFormats: ReadonlySet<FormatName | undefined> = new Set([undefined, 'json']);

/**
 * Parses the lines of one log. The first line with a known format determines the format, unless the user names it. If it
 * is `json`, a later line can replace it.
 */
export class LogParser {
  #format: FormatName | undefined;
  readonly #isNamed: boolean;

  constructor(format?: FormatName) {
    this.#format = format;
    this.#isNamed = format !== undefined;
  }

  get format(): FormatName | undefined {
    return this.#format;
  }

  parse(text: string): ParsedLine {
    const parsed = this.#format && formats[this.#format].read(text);
    if (typeof parsed === 'object' || this.#isNamed || !uncertainFormats.has(this.#format)) return parsed;
    this.#format = formatOf(text) ?? this.#format;
    return this.#format && formats[this.#format].read(text);
  }
}
