/** Splits a growing file into lines. Keeps the start of an unfinished line until its end arrives. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

const newline = 10;

export interface LineOptions {
  readonly encoding: 'utf8' | 'latin1';
  readonly onLine: (line: string) => void;
  /** Longer lines are skipped. Default: `intakeLineBytes`. */
  readonly mostBytes?: number;
  /** Called for each line that is skipped, or whose start was not read. */
  readonly onSkipped?: () => void;
}

export class LineReader {
  readonly #lines: LineOptions;
  readonly #mostBytes: number;
  #pending: Buffer = Buffer.alloc(0);
  /** Whether the position is in a line that is skipped: it is too long for an event, or its start was not read. */
  #isSkipping: boolean;
  /** The number of skipped bytes of that line. */
  #skipped = 0;
  #done: number;

  /** `from`: the offset of the first chunk. `isInside`: whether this offset is within a line. */
  constructor(from: number, isInside: boolean, lines: LineOptions) {
    this.#done = from;
    this.#isSkipping = isInside;
    this.#lines = lines;
    this.#mostBytes = lines.mostBytes ?? daemonBounds.intakeLineBytes;
  }

  /** The offset after the last line end that arrived, or `from` before the first one. */
  get doneOffset(): number {
    return this.#done;
  }

  push(piece: Buffer): void {
    if (this.#pending.length === 0) {
      this.#split(piece);
      return;
    }
    // Copies the remainder of one line only: a copy of each piece would be as much garbage outside of V8's heap.
    const end = piece.indexOf(newline) + 1 || piece.length;
    this.#split(Buffer.concat([this.#pending, piece.subarray(0, end)]));
    if (end < piece.length) this.#split(piece.subarray(end));
  }

  #split(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      if (!this.#isSkipping && end <= this.#mostBytes) this.#lines.onLine(rest.toString(this.#lines.encoding, 0, end));
      else this.#lines.onSkipped?.();
      this.#done += this.#skipped + end + 1;
      this.#isSkipping = false;
      this.#skipped = 0;
      rest = rest.subarray(end + 1);
    }
    if (this.#isSkipping || rest.length > this.#mostBytes) {
      this.#isSkipping = true;
      this.#skipped += rest.length;
      rest = rest.subarray(rest.length);
    }
    this.#pending = Buffer.from(rest);
  }
}
