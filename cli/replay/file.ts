import type { Line } from '../input/lines.ts';
import { type FormatName, formatOf, formats } from './formats.ts';
import type { LoggedRequest, ParsedLine } from './request.ts';
import type { LogCounts } from './result.ts';

const shownCharacters = 200;

/** A later line may replace these formats: any program can write JSON with the usual names. */
const uncertainFormats: ReadonlySet<FormatName | undefined> = new Set([undefined, 'json']);

/**
 * Reads lines of one log. The first line with a known format determines the format, unless the user names it. If it is
 * `json`, a later line can replace it.
 */
export class LogReader {
  readonly #name: string;
  readonly #host: string | undefined;
  #format: FormatName | undefined;
  readonly #isNamed: boolean;
  #hasReadableLine = false;
  readonly #counts = { lines: 0, requests: 0, notRequests: 0, unreadable: 0, tooLong: 0, empty: 0 };
  #firstUnreadable: LogCounts['firstUnreadable'];

  /** @param host the host of lines that record none */
  constructor(name: string, format: FormatName | undefined, host: string | undefined) {
    this.#name = name;
    this.#format = format;
    this.#isNamed = format !== undefined;
    this.#host = host;
  }

  get lines(): number {
    return this.#counts.lines;
  }

  /** Parses and counts a line. Returns undefined when it is not a request. */
  read({ text, number, isCut }: Line): LoggedRequest | undefined {
    this.#counts.lines += 1;
    if (isCut) this.#counts.tooLong += 1;
    else if (text === '') this.#counts.empty += 1;
    else return this.#countedRequest(text, number);
    return undefined;
  }

  #parse(text: string): ParsedLine {
    const parsed = this.#format && formats[this.#format].read(text);
    if (typeof parsed === 'object' || this.#isNamed || !uncertainFormats.has(this.#format)) return parsed;
    this.#format = formatOf(text) ?? this.#format;
    return this.#format && formats[this.#format].read(text);
  }

  #countedRequest(text: string, number: number): LoggedRequest | undefined {
    const parsed = this.#parse(text);
    if (parsed !== undefined) this.#hasReadableLine = true;
    if (parsed === undefined) {
      this.#counts.unreadable += 1;
      this.#firstUnreadable ??= {
        line: number,
        text: Buffer.from(text.slice(0, shownCharacters), 'latin1').toString('latin1'),
      };
    } else if (parsed === 'notRequest') this.#counts.notRequests += 1;
    else {
      this.#counts.requests += 1;
      if (parsed.host !== undefined || this.#host === undefined) return parsed;
      return { ...parsed, host: this.#host };
    }
    return undefined;
  }

  counts(problem: string | undefined): LogCounts {
    const first = this.#firstUnreadable;
    return {
      name: this.#name,
      format: this.#hasReadableLine ? (this.#format ?? null) : null,
      ...this.#counts,
      ...(first && { firstUnreadable: first }),
      ...(problem !== undefined && { problem }),
    };
  }
}
