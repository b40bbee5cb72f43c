/**
 * Reads an answer of the decision stream, `{"new": [...], "deleted": [...]}`, as it arrives. A large one has 18 MB: it is
 * never held as a whole, and no step of reading it takes longer than one chunk.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

export type ListName = 'new' | 'deleted';

/** Thrown for an answer that is none; the message is a clause without anything from the answer. */
export class BadResponse extends Error {}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = Buffer.from('"\\{}[],');

/** What is left of an answer without its decisions: two keys. */
const longestFrame = 4096;
const listOpens = /"(new|deleted)"\s*:\s*\[$/;

/** In an answer the object is at depth 1, its lists at 2, and decisions at 3. */
const listDepth = 2;
const decisionDepth = 3;

export class ResponseReader {
  readonly #take: (list: ListName, decision: unknown) => void;
  /** Everything that belongs to no decision, without the commas between them. */
  #frame = '';
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #list: ListName | undefined;
  /** The begin of a decision that ends in a later chunk. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #bytes = 0;

  constructor(take: (list: ListName, decision: unknown) => void) {
    this.#take = take;
  }

  /** Throws BadAnswer as soon as the bytes cannot become an answer. */
  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > daemonBounds.feedAnswerBytes) throw new BadResponse('the answer is too large');
    let start = this.#depth >= decisionDepth ? 0 : -1;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      const was = this.#depth;
      this.#step(byte);
      if (was < decisionDepth && this.#depth >= decisionDepth) start = index;
      if (start < 0) this.#keepFrame(byte);
      if (was >= decisionDepth && this.#depth < decisionDepth) {
        this.#decide(chunk.subarray(start, index + 1));
        start = -1;
      }
    }
    if (start >= 0) this.#begin(chunk.subarray(start));
  }

  #step(byte: number): void {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isText = false;
    } else if (byte === quote) this.#isText = true;
    else if (byte === openBrace || byte === openBracket) this.#depth++;
    else if (byte === closeBrace || byte === closeBracket) this.#depth--;
  }

  #keepFrame(byte: number): void {
    if (byte === comma && this.#depth === listDepth) return;
    this.#frame += String.fromCharCode(byte);
    if (this.#frame.length > longestFrame || this.#depth < 0) throw new BadResponse('the answer is no decision stream');
    if (byte === openBracket) this.#list = listOpens.exec(this.#frame)?.[1] as ListName | undefined;
  }

  #begin(bytes: Buffer): void {
    this.#begunBytes += bytes.length;
    if (this.#begunBytes > daemonBounds.feedDecisionBytes) throw new BadResponse('a decision is too large');
    this.#begun.push(Buffer.from(bytes));
  }

  #decide(bytes: Buffer): void {
    const all = this.#begun.length === 0 ? bytes : Buffer.concat([...this.#begun, bytes]);
    this.#begun = [];
    this.#begunBytes = 0;
    if (!this.#list) throw new BadResponse('the answer is no decision stream');
    this.#take(this.#list, parsed(all.toString('utf8')));
  }

  /** Throws BadAnswer unless the answer was whole. */
  end(): void {
    const frame = this.#depth === 0 && !this.#isText && this.#frame !== '' ? parsed(this.#frame) : undefined;
    if (frame === undefined) throw new BadResponse('the answer broke off');
    const isEmpty = (list: unknown) => list === null || (Array.isArray(list) && list.length === 0);
    const { new: fresh, deleted } = (frame ?? {}) as Record<ListName, unknown>;
    if (!isEmpty(fresh) || !isEmpty(deleted)) throw new BadResponse('the answer is no decision stream');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadResponse('the answer is no JSON');
  }
}
