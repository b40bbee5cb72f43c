/** Replaces replies that announce a data connection. The bytes of such a reply wait until it is complete. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { ReplyLines } from './reply-lines.ts';

const lf = 0x0a;
const mostReplyBytes = daemonBounds.ftpPassiveReplyBytes;
/** The number of bytes at the start of a line that decide whether it is a passive reply. */
const startBytes = 6;
const passiveForm = /^22[789](?:[ -]|\r?\n)/;
const undecidedForm = /^(?:22?|22[789]\r?)$/;

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

export class HeldReplies {
  private readonly lines = new ReplyLines();
  private readonly replace: (code: string, text: string) => string;
  /** The first bytes of the current line. */
  private start = '';
  private heldBytes: Buffer | undefined;
  private length = 0;

  /** `replace` gets a whole reply and returns the one for the client. */
  constructor(replace: (code: string, text: string) => string) {
    this.replace = replace;
  }

  /** Returns the bytes to relay: the chunk itself when nothing changes. Returns undefined when a reply is too long. */
  feed(chunk: Buffer): Buffer | undefined {
    const passing: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      const found = chunk.indexOf(lf, at);
      const end = found < 0 ? chunk.length : found + 1;
      if (!this.feedPart(chunk.subarray(at, end), passing)) return undefined;
      if (found >= 0) this.endLine(passing);
      at = end;
    }
    const bytes = Buffer.concat(passing);
    return bytes.equals(chunk) ? chunk : bytes;
  }

  flush(): Buffer {
    const waiting = this.heldBytes ? this.heldBytes.subarray(0, this.length) : bytesOf(this.waitingStart());
    this.heldBytes = undefined;
    this.start = '';
    return waiting;
  }

  private waitingStart(): string {
    return this.lines.isBetween && undecidedForm.test(this.start) ? this.start : '';
  }

  /** Handles a part of one line. Returns false when the reply is too long. */
  private feedPart(part: Buffer, passing: Buffer[]): boolean {
    const waiting = this.heldBytes ? '' : this.waitingStart();
    this.start += part.toString('latin1', 0, startBytes - this.start.length);
    if (this.heldBytes) return this.hold(part);
    if (this.lines.isBetween && passiveForm.test(this.start)) {
      this.heldBytes = Buffer.allocUnsafeSlow(mostReplyBytes);
      this.length = 0;
      return this.hold(bytesOf(waiting)) && this.hold(part);
    }
    if (this.waitingStart() === '') passing.push(bytesOf(waiting), part);
    return true;
  }

  private hold(part: Buffer): boolean {
    if (!this.heldBytes || this.length + part.length > mostReplyBytes) return false;
    this.length += part.copy(this.heldBytes, this.length);
    return true;
  }

  private endLine(passing: Buffer[]): void {
    const code = this.lines.read(this.start.replace(/\r?\n$/, ''));
    this.start = '';
    if (!this.heldBytes || code === undefined) return;
    const text = this.heldBytes.toString('latin1', 0, this.length);
    this.heldBytes = undefined;
    passing.push(bytesOf(`${this.replace(code, text)}\r\n`));
  }
}
