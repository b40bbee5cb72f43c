/**
 * Parses a response of the decision stream, `{"new": [...], "deleted": [...]}`, while it arrives. A large one has 18
 * MB.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

export type ListName = 'new' | 'deleted';

/** Thrown when the response is invalid. The message contains no part of the response. */
export class BadResponse extends Error {}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = Buffer.from('"\\{}[],');

const spaces: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));

/** The largest size of the text outside decisions, in characters: it has only two keys and brackets. */
const longestFrame = 4096;
const listStart = /"(new|deleted)"\s*:\s*\[$/;

/** The depth of the lists and of the decisions. The object itself is at depth 1. */
const listDepth = 2;
const decisionDepth = 3;

export class ResponseReader {
  readonly #onDecision: (list: ListName, decision: unknown) => void;
  /** The text outside decisions, without spaces and without the commas between decisions. */
  #frame = '';
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #list: ListName | undefined;
  /** The start of a decision that continues in the next chunk. */
  #begunChunks: Buffer[] = [];
  #begunBytes = 0;
  #bytes = 0;

  constructor(onDecision: (list: ListName, decision: unknown) => void) {
    this.#onDecision = onDecision;
  }

  /** @throws BadResponse when the response is too large, or when these bytes show that it is invalid */
  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > daemonBounds.feedAnswerBytes) throw new BadResponse('the response is too large');
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
    if (start >= 0) this.#keepBytes(chunk.subarray(start));
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
    if (!this.#isText && (spaces.has(byte) || (byte === comma && this.#depth === listDepth))) return;
    this.#frame += String.fromCharCode(byte);
    if (this.#frame.length > longestFrame || this.#depth < 0)
      throw new BadResponse('the response is not a decision stream');
    if (byte === openBracket) this.#list = listStart.exec(this.#frame)?.[1] as ListName | undefined;
  }

  #keepBytes(bytes: Buffer): void {
    this.#begunBytes += bytes.length;
    if (this.#begunBytes > daemonBounds.feedDecisionBytes) throw new BadResponse('a decision is too large');
    this.#begunChunks.push(Buffer.from(bytes));
  }

  #decide(bytes: Buffer): void {
    const all = this.#begunChunks.length === 0 ? bytes : Buffer.concat([...this.#begunChunks, bytes]);
    this.#begunChunks = [];
    this.#begunBytes = 0;
    if (!this.#list) throw new BadResponse('the response is not a decision stream');
    this.#onDecision(this.#list, parseJson(all.toString('utf8')));
  }

  /** @throws BadResponse unless the response is complete */
  end(): void {
    const frame = this.#depth === 0 && !this.#isText && this.#frame !== '' ? parseJson(this.#frame) : undefined;
    if (frame === undefined) throw new BadResponse('the response is truncated');
    const isEmpty = (list: unknown) => list === null || (Array.isArray(list) && list.length === 0);
    const { new: fresh, deleted } = (frame ?? {}) as Record<ListName, unknown>;
    if (!isEmpty(fresh) || !isEmpty(deleted)) throw new BadResponse('the response is not a decision stream');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadResponse('the response is not JSON');
  }
}
