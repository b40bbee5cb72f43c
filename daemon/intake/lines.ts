/** Lines of a file that others append to, from pieces of any size. What is no line yet is read again later. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

const newline = 10;

export class LineReader {
  readonly #take: (line: string) => void;
  #pending: Buffer = Buffer.alloc(0);
  /** Inside of a line that is too long to be an event, or of which the begin is not known. */
  #isSkipping: boolean;
  /** Bytes of that line that were passed over. */
  #skipped = 0;
  #done: number;

  /** `from`: where in the file the first piece begins; `isInside`: in the middle of a line. */
  constructor(from: number, isInside: boolean, take: (line: string) => void) {
    this.#done = from;
    this.#isSkipping = isInside;
    this.#take = take;
  }

  /** Where the first line begins that has not ended. */
  get done(): number {
    return this.#done;
  }

  push(piece: Buffer): void {
    let rest = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece]);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      if (!this.#isSkipping && end <= daemonBounds.intakeLineBytes) this.#take(rest.toString('utf8', 0, end));
      this.#done += this.#skipped + end + 1;
      this.#isSkipping = false;
      this.#skipped = 0;
      rest = rest.subarray(end + 1);
    }
    if (this.#isSkipping || rest.length > daemonBounds.intakeLineBytes) {
      this.#isSkipping = true;
      this.#skipped += rest.length;
      rest = rest.subarray(rest.length);
    }
    this.#pending = Buffer.from(rest);
  }
}
