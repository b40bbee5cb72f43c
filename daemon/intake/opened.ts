/** An open event file. Each poll reads what was added, up to a bound; after a truncation, from the start. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { openRegular } from '../../platform/regular-file.ts';
import { type LineOptions, LineReader } from './lines.ts';
import type { Position } from './positions.ts';

/** Enough to distinguish files: each event has its time within these bytes. */
const headBytes = 128;
const newline = 10;

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url');

export class OpenedFile {
  readonly inode: number;
  readonly #handle: FileHandle;
  readonly #lines: LineOptions;
  readonly #buffer = Buffer.allocUnsafe(daemonBounds.intakeReadBytes);
  #reader: LineReader;
  #position = 0;
  #size = 0;
  /** The first bytes of the file. If they change, the file was rewritten. */
  #head: Buffer = Buffer.alloc(0);

  private constructor(handle: FileHandle, inode: number, lines: LineOptions) {
    this.#handle = handle;
    this.inode = inode;
    this.#lines = lines;
    this.#reader = new LineReader(0, false, lines);
  }

  /** Rejects when the path cannot be opened or is not a regular file. */
  static async open(path: string, lines: LineOptions): Promise<OpenedFile> {
    const { handle, stat } = await openRegular(path);
    return new OpenedFile(handle, stat.ino, lines);
  }

  async #firstBytes(length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  }

  /** Continues where the previous run stopped. Returns false when this is another file or it was truncated. */
  async resume({ inode, offset, head }: Position): Promise<boolean> {
    const { size } = await this.#handle.stat();
    const begin = await this.#firstBytes(Math.min(headBytes, offset));
    if (inode !== this.inode || offset > size || hashOf(begin) !== head) return false;
    this.#start(offset, begin, await this.#isInside(offset));
    return true;
  }

  async skipToEnd(): Promise<void> {
    const { size } = await this.#handle.stat();
    this.#start(size, await this.#firstBytes(Math.min(headBytes, size)), await this.#isInside(size));
  }

  async #isInside(offset: number): Promise<boolean> {
    const before = Buffer.from([newline]);
    if (offset > 0) await this.#handle.read(before, 0, 1, offset - 1);
    return before[0] !== newline;
  }

  #start(offset: number, head: Buffer, isInside: boolean): void {
    this.#position = offset;
    this.#head = head;
    this.#reader = new LineReader(offset, isInside, this.#lines);
  }

  #restart(): void {
    this.#start(0, Buffer.alloc(0), false);
  }

  /** @param known the size of the file, if the caller has just read it */
  async drain(signal: AbortSignal, known?: number): Promise<void> {
    const size = known ?? (await this.#handle.stat()).size;
    this.#size = size;
    if (size === this.#position) return;
    if (size < this.#position) this.#restart();
    for (let left: number = daemonBounds.intakePollBytes; left > 0 && !signal.aborted; ) {
      const { bytesRead } = await this.#handle.read(this.#buffer, 0, this.#buffer.length, this.#position);
      if (bytesRead === 0) break;
      left -= bytesRead;
      // Check after each chunk: between two chunks, the file may be truncated and grow beyond its old size.
      if (!(await this.#firstBytes(this.#head.length)).equals(this.#head)) {
        this.#restart();
        continue;
      }
      const piece = this.#buffer.subarray(0, bytesRead);
      if (this.#head.length === this.#position && this.#position < headBytes)
        this.#head = Buffer.concat([this.#head, piece]).subarray(0, headBytes);
      this.#position += bytesRead;
      this.#reader.push(piece);
    }
  }

  /** Bytes that the last drain left unread. */
  get unread(): number {
    return Math.max(0, this.#size - this.#position);
  }

  /** The offset after the last line end that was read, or where reading began. The next run continues there. */
  get offset(): number {
    return this.#reader.doneOffset;
  }

  get position(): Position {
    const { inode, offset } = this;
    return { inode, offset, head: hashOf(this.#head.subarray(0, offset)) };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
