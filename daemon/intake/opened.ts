/** A file of events that is open: read to its end again and again, and from its begin when it was emptied. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { LineReader } from './lines.ts';
import type { Place } from './places.ts';

/** Bytes that tell a file from another: an event begins with its time. */
const headBytes = 128;
const newline = 10;

/** What opens a pipe must not wait for its other end. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

export class Opened {
  readonly inode: number;
  readonly #handle: FileHandle;
  readonly #take: (line: string) => void;
  readonly #buffer = Buffer.allocUnsafe(daemonBounds.intakeReadBytes);
  #reader: LineReader;
  #position = 0;
  #head = '0:';

  private constructor(handle: FileHandle, inode: number, take: (line: string) => void) {
    this.#handle = handle;
    this.inode = inode;
    this.#take = take;
    this.#reader = new LineReader(0, false, take);
  }

  /** Rejects for what cannot be read and for what is no regular file. */
  static async open(path: string, take: (line: string) => void): Promise<Opened> {
    const handle = await open(path, flags);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw new Error('it is no regular file');
      return new Opened(handle, stat.ino, take);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The first `length` bytes, as they can be compared later. */
  async #headOf(length: number): Promise<string> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, 0);
    const hash = length === 0 ? '' : createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('base64url');
    return `${bytesRead}:${hash}`;
  }

  /** Whether it still begins as it did. */
  async #beginsWith(head: string): Promise<boolean> {
    const length = Number(head.split(':', 1)[0]);
    return length >= 0 && length <= headBytes && (await this.#headOf(length)) === head;
  }

  /** Goes on where an earlier run stopped; false: this is another file, or was emptied since. */
  async resume({ inode, offset, head }: Place): Promise<boolean> {
    const { size } = await this.#handle.stat();
    if (inode !== this.inode || offset > size || !(await this.#beginsWith(head))) return false;
    this.#start(offset, false);
    return true;
  }

  /** Passes over everything that is there. */
  async skipToEnd(): Promise<void> {
    const { size } = await this.#handle.stat();
    const last = Buffer.from([newline]);
    if (size > 0) await this.#handle.read(last, 0, 1, size - 1);
    this.#start(size, last[0] !== newline);
  }

  #start(offset: number, isInside: boolean): void {
    this.#position = offset;
    this.#reader = new LineReader(offset, isInside, this.#take);
  }

  /** Takes every line that was added. */
  async drain(signal: AbortSignal): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size === this.#position) return;
    if (size < this.#position || !(await this.#beginsWith(this.#head))) this.#start(0, false);
    while (!signal.aborted) {
      const { bytesRead } = await this.#handle.read(this.#buffer, 0, this.#buffer.length, this.#position);
      if (bytesRead === 0) break;
      this.#position += bytesRead;
      this.#reader.push(this.#buffer.subarray(0, bytesRead));
    }
    this.#head = await this.#headOf(Math.min(headBytes, this.#position));
  }

  /** Where another run would go on: after the last whole line. */
  get offset(): number {
    return this.#reader.done;
  }

  async place(): Promise<Place> {
    const { inode, offset } = this;
    return { inode, offset, head: await this.#headOf(Math.min(headBytes, offset)) };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
