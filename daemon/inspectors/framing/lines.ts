/**
 * Reads one side of a text protocol: lines, and content between them. Content is not kept. Of an unfinished line only
 * the start and the end are kept.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { LoginState } from '../inspector.ts';
import { createMessageEnd, type MessageEnd } from './message-end.ts';

export interface LineHandler {
  /**
   * `text`: a byte string without the line end. Beyond `inspectorPendingBytes`, its middle is omitted. `isBare`: the
   * line ended with only a line feed.
   */
  readonly line: (text: string, isBare: boolean) => void;
  readonly fault: (reason: string) => void;
}

export interface Content {
  /** Called with each part. Returns whether the next part is needed too. Absent when no part is needed. */
  readonly part?: (bytes: Buffer) => boolean;
  readonly end?: () => void;
}

const cr = 0x0d;
const lf = 0x0a;
const tailBytes = 64; // an IMAP literal gives its length at the end of a line
const headBytes = daemonBounds.inspectorPendingBytes - tailBytes;
const firstBytes = 256; // most lines are shorter
const emptyBuffer = Buffer.alloc(0);
const nul = 0;

class Pending {
  length = 0;
  private head = emptyBuffer;
  private tail = '';

  add(part: Buffer): void {
    const room = Math.min(part.length, Math.max(0, headBytes - this.length));
    if (room > 0) this.grow(this.length + room);
    part.copy(this.head, this.length, 0, room);
    if (room < part.length)
      this.tail = tailOf(this.tail + part.toString('latin1', Math.max(room, part.length - tailBytes)));
    this.length += part.length;
  }

  private grow(wanted: number): void {
    if (wanted <= this.head.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(headBytes, Math.max(firstBytes, wanted, this.head.length * 2)));
    this.head.copy(larger);
    this.head = larger;
  }

  /** The bytes of an unfinished line that are kept. */
  get heldBytes(): number {
    return this.length === 0 ? 0 : this.head.length + this.tail.length;
  }

  flush(): string {
    const text = this.head.toString('latin1', 0, Math.min(this.length, headBytes)) + this.tail;
    this.length = 0;
    this.tail = '';
    if (this.head.length > firstBytes) this.head = Buffer.alloc(0);
    return text;
  }
}

const withoutPart = ({ end }: Content): Content => ({ ...(end && { end }) });
const tailOf = (text: string) => text.slice(-tailBytes);

function lineIn(chunk: Buffer, from: number, to: number): string {
  if (to - from <= headBytes) return chunk.toString('latin1', from, to);
  const tailFrom = Math.max(from + headBytes, to - tailBytes);
  return chunk.toString('latin1', from, from + headBytes) + chunk.toString('latin1', tailFrom, to);
}

function faultOf(line: string, isBare: boolean): string | undefined {
  const [first] = /[\r\0]/.exec(line) ?? [];
  if (first !== undefined) return first === '\r' ? 'carriage_return' : 'null_byte';
  return isBare ? 'line_feed' : undefined;
}

type Mode = 'lines' | 'content' | 'message' | 'held' | 'stopped';

/**
 * Reads lines of at most `longest` bytes. With `isStrict`, a line ends with CR LF and contains no other CR, LF or NUL:
 * servers disagree about such bytes.
 */
export class LineReader {
  private mode: Mode = 'lines';
  private readonly pending = new Pending();
  private contentLeft = 0;
  private content: Content = {};
  private messageEnd: MessageEnd = createMessageEnd(true);
  private reason = '';
  private readonly handler: LineHandler;
  private longest: number;
  private readonly isStrict: boolean;
  private endsInReturn = false;
  private again: (() => void) | undefined;

  constructor(handler: LineHandler, longest: number, isStrict = false) {
    this.handler = handler;
    this.longest = longest;
    this.isStrict = isStrict;
  }

  /** Reads a chunk until `wait` holds this side. Returns the number of bytes that were read. */
  feed(chunk: Buffer, wait?: Pick<LoginState, 'isHeld'>): number {
    let at = 0;
    while (at < chunk.length && this.mode !== 'stopped' && !wait?.isHeld()) {
      at = this.again ? this.readAgain(at) : this.step(chunk, at);
      if (this.again) at -= 1;
    }
    return this.mode === 'stopped' ? chunk.length : at;
  }

  get heldBytes(): number {
    return this.pending.heldBytes;
  }

  /**
   * The number of following bytes that need not be read. The last byte of content must be read, because it causes the
   * call of `end`: this side may then have to wait for the other.
   */
  unseen(): number {
    if (this.mode === 'stopped') return Number.POSITIVE_INFINITY;
    if (this.mode !== 'content' || this.content.part) return 0;
    const unseen = this.contentLeft - 1;
    this.contentLeft = 1;
    return unseen;
  }

  /** Leaves the last byte unread. When the wait is over, `again` is called in its place. Call it during a read. */
  returnByte(again: () => void): void {
    this.again = again;
  }

  private readAgain(at: number): number {
    const { again } = this;
    this.again = undefined;
    again?.();
    return at + 1;
  }

  private step(chunk: Buffer, at: number): number {
    if (this.mode === 'lines') return this.readLine(chunk, at);
    if (this.mode === 'content') return this.readContent(chunk, at);
    if (this.mode === 'message') return this.readMessage(chunk, at);
    return this.fail(chunk, this.reason);
  }

  private fail(chunk: Buffer, reason: string): number {
    this.mode = 'stopped';
    this.handler.fault(reason);
    return chunk.length;
  }

  private readLine(chunk: Buffer, at: number): number {
    const found = chunk.indexOf(lf, at);
    const end = found < 0 ? chunk.length : found;
    const bound = Math.min(end, at + this.longest - this.pending.length);
    const fault = this.isStrict ? this.faultIn(chunk, at, bound, found) : undefined;
    if (fault !== undefined) return this.fail(chunk, fault);
    if (bound < end) return this.fail(chunk, 'line_too_long');
    if (found >= 0 && this.pending.length === 0) this.passLine(lineIn(chunk, at, end));
    else {
      this.pending.add(chunk.subarray(at, end));
      if (found >= 0) this.passLine(this.pending.flush());
    }
    return found < 0 ? end : end + 1;
  }

  /** The fault in a part of a line. An unfinished line is checked as it arrives: its bytes are relayed immediately. */
  private faultIn(chunk: Buffer, at: number, end: number, lineFeedAt: number): string | undefined {
    const isBehindReturn = this.endsInReturn && end > at;
    this.endsInReturn = false;
    if (isBehindReturn) return 'carriage_return';
    if (lineFeedAt === end && this.pending.length + end - at <= headBytes) return undefined;
    const part = chunk.subarray(at, end);
    const [returnAt, nulAt, last] = [part.indexOf(cr), part.indexOf(nul), part.length - 1];
    this.endsInReturn = lineFeedAt < 0 && returnAt === last && last >= 0;
    if (nulAt >= 0 && (returnAt < 0 || nulAt < returnAt)) return 'null_byte';
    return returnAt >= 0 && returnAt < last ? 'carriage_return' : undefined;
  }

  private passLine(text: string): void {
    const isBare = !text.endsWith('\r');
    const line = isBare ? text : text.slice(0, -1);
    const fault = this.isStrict ? faultOf(line, isBare) : undefined;
    if (fault === undefined) this.handler.line(line, isBare);
    else this.fail(emptyBuffer, fault);
  }

  private readContent(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.contentLeft);
    this.contentLeft -= end - at;
    if (this.content.part?.(chunk.subarray(at, end)) === false) this.content = withoutPart(this.content);
    if (this.contentLeft === 0) this.finish(this.content.end);
    return end;
  }

  private readMessage(chunk: Buffer, at: number): number {
    const found = this.messageEnd.find(chunk, at);
    if (!found) return chunk.length;
    if (found.isAmbiguous) return this.fail(chunk, 'odd_end_of_message');
    this.finish(this.content.end);
    return found.at;
  }

  private finish(end: (() => void) | undefined): void {
    if (this.mode === 'stopped') return;
    this.mode = 'lines';
    end?.();
  }

  /** Enters a mode, unless the reader was stopped. */
  private enterMode(mode: Mode): void {
    if (this.mode !== 'stopped') this.mode = mode;
  }

  /** Reads the next `bytes` bytes as content. Lines follow. */
  skip(bytes: number, content: Content = {}): void {
    this.contentLeft = bytes;
    this.content = content;
    this.enterMode('content');
    if (bytes === 0) this.finish(content.end);
  }

  /** Skips a message up to a line with only a dot. Lines follow. With `isStrict`, an ambiguous end is a fault. */
  skipMessage(isStrict: boolean, end: () => void): void {
    this.messageEnd = createMessageEnd(isStrict);
    this.content = { end };
    this.enterMode('message');
  }

  /** Makes every byte a fault until `release` is called: this side must wait for the other. */
  hold(reason: string): void {
    this.reason = reason;
    this.enterMode('held');
  }

  release(): void {
    if (this.mode === 'held') this.mode = 'lines';
  }

  limit(bytes: number): void {
    this.longest = bytes;
  }

  stop(): void {
    this.mode = 'stopped';
  }
}
