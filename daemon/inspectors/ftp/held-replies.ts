/**
 * Replaces the replies of a server that announce a data connection. Every other byte passes at once; those of such a reply
 * wait until it is complete.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { ReplyLines } from './reply-lines.ts';

const lf = 0x0a;
const most = daemonBounds.ftpPassiveReplyBytes;
/** The start of a line decides what it is: the code, its mark and the end of a line. */
const startBytes = 6;
const passive = /^22[789](?:[ -]|\r?\n)/;
/** More bytes decide whether such a line is a passive reply. */
const undecided = /^(?:22?|22[789]\r?)$/;

/** Bytes are latin1 here: one character each. */
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

export class HeldReplies {
  private readonly lines = new ReplyLines();
  private readonly replace: (code: string, text: string) => string;
  /** The first bytes of the current line. They have not passed while they are `undecided`. */
  private start = '';
  private held: Buffer | undefined;
  private length = 0;

  /** `replace` takes a whole reply and returns another one. */
  constructor(replace: (code: string, text: string) => string) {
    this.replace = replace;
  }

  /** Returns the bytes that pass, which are the chunk itself where nothing changes. Undefined: a reply is too long. */
  take(chunk: Buffer): Buffer | undefined {
    const passing: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      const found = chunk.indexOf(lf, at);
      const end = found < 0 ? chunk.length : found + 1;
      if (!this.takePart(chunk.subarray(at, end), passing)) return undefined;
      if (found >= 0) this.endLine(passing);
      at = end;
    }
    const bytes = Buffer.concat(passing);
    return bytes.equals(chunk) ? chunk : bytes;
  }

  /** Returns the bytes that wait, and forgets them. */
  flush(): Buffer {
    const waiting = this.held ? this.held.subarray(0, this.length) : bytesOf(this.waitingStart());
    this.held = undefined;
    this.start = '';
    return waiting;
  }

  private waitingStart(): string {
    return this.lines.isBetween && undecided.test(this.start) ? this.start : '';
  }

  /** A part of one line. False: its reply is too long. */
  private takePart(part: Buffer, passing: Buffer[]): boolean {
    const waiting = this.held ? '' : this.waitingStart();
    this.start += part.toString('latin1', 0, startBytes - this.start.length);
    if (this.held) return this.hold(part);
    if (this.lines.isBetween && passive.test(this.start)) {
      this.held = Buffer.allocUnsafeSlow(most);
      this.length = 0;
      return this.hold(bytesOf(waiting)) && this.hold(part);
    }
    if (this.waitingStart() === '') passing.push(bytesOf(waiting), part);
    return true;
  }

  private hold(part: Buffer): boolean {
    if (!this.held || this.length + part.length > most) return false;
    this.length += part.copy(this.held, this.length);
    return true;
  }

  private endLine(passing: Buffer[]): void {
    const code = this.lines.take(this.start.replace(/\r?\n$/, ''));
    this.start = '';
    if (!this.held || code === undefined) return;
    const text = this.held.toString('latin1', 0, this.length);
    this.held = undefined;
    passing.push(bytesOf(`${this.replace(code, text)}\r\n`));
  }
}
