import type { FormatName } from '../../logs/access/formats.ts';
import { LogParser } from '../../logs/access/parser.ts';
import type { LoggedRequest } from '../../logs/access/request.ts';
import type { Line } from '../input/lines.ts';
import type { LogCounts } from './result.ts';

const shownCharacters = 200;

/** Reads and counts the lines of one log. */
export class LogReader {
  readonly #name: string;
  readonly #host: string | undefined;
  readonly #parser: LogParser;
  #hasReadableLine = false;
  readonly #counts = { lines: 0, requests: 0, notRequests: 0, unreadable: 0, tooLong: 0, empty: 0 };
  #firstUnreadable: LogCounts['firstUnreadable'];

  /** @param host the host of lines that record none */
  constructor(name: string, format: FormatName | undefined, host: string | undefined) {
    this.#name = name;
    this.#parser = new LogParser(format);
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

  #countedRequest(text: string, number: number): LoggedRequest | undefined {
    const parsed = this.#parser.parse(text);
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
      format: this.#hasReadableLine ? (this.#parser.format ?? null) : null,
      ...this.#counts,
      ...(first && { firstUnreadable: first }),
      ...(problem !== undefined && { problem }),
    };
  }
}
