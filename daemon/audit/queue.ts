/** A queue of lines for a file. Callers do not wait for the disk: one write at a time runs in the background. */
import { close, constants, fstat, open, read, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { makeFolder } from '../../platform/folder.ts';

const [openFile, statFile, readFile, writeFile, closeFile] = [
  promisify(open),
  promisify(fstat),
  promisify(read),
  promisify(write),
  promisify(close),
];
const retryMs = 1000; // retries after a full disk or a missing folder
const fullPipeMs = 20; // retries while a pipe is full, because its reader may only be slow
const checkMs = 1000; // how often to check that the file exists
const lineEnd = 0x0a;
const fileMode = 0o640; // owner and group only: the file contains addresses, which are personal data

/** With O_NONBLOCK, opening and writing a pipe never wait: a pipe that is not read fails like a full disk. */
const appendFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

const openForAppending = (path: string): Promise<number> => openFile(path, appendFlags, fileMode);

const openCreatingFolders = (path: string): Promise<number> =>
  openForAppending(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    makeFolder(dirname(path));
    return openForAppending(path);
  });

/** Whether the file ends within a line. Rejects when it is not readable. */
async function endsWithinLine(path: string, size: number): Promise<boolean> {
  if (size === 0) return false;
  const file = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { bytesRead, buffer } = await readFile(file, Buffer.alloc(1), 0, 1, size - 1);
    return bytesRead === 1 && buffer[0] !== lineEnd;
  } finally {
    await closeFile(file);
  }
}

/** Opens a file and completes its last line, which a kill or a full disk may have cut off. */
async function openAtLineStart(path: string): Promise<number> {
  const file = await openCreatingFolders(path);
  try {
    const { size } = await statFile(file);
    if (await endsWithinLine(path, size).catch(() => false)) await writeFile(file, Buffer.of(lineEnd));
    return file;
  } catch (error) {
    await closeFile(file);
    throw error;
  }
}

export class LineQueue {
  #path: string;
  #file: number | undefined;
  #isStale = false;
  #checkedAt = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #isTorn = false;
  #waitingChunks: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #failure: string | undefined;
  #isClosed = false;
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#path = path;
    this.reopen(path);
  }

  dropped = () => this.#dropped;
  /** Why lines are not written. Undefined when they are. */
  failure = () => this.#failure;

  push = (line: string) => {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#isClosed || this.#waitingBytes + bytes.length > daemonBounds.auditQueueBytes) {
      this.#dropped++;
      return;
    }
    this.#waitingChunks.push(bytes);
    this.#waitingBytes += bytes.length;
    if (!this.#retry) this.#start();
  };

  /** Opens the file at `path` before the next line is written. */
  reopen = (path: string) => {
    this.#path = path;
    this.#isStale = true;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#start();
  };

  /** Writes as many lines as possible, and closes the file. */
  close = async () => {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#writing;
    if (this.#waitingChunks.length > 0 || this.#isStale) await this.#drain();
    clearTimeout(this.#retry);
    this.#dropped += this.#waitingChunks.length;
    if (this.#file !== undefined) await closeFile(this.#file);
    this.#file = undefined;
  };

  #start(): void {
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
      const hasMore = this.#waitingChunks.length > 0 || this.#isStale;
      if (hasMore && !this.#retry && !this.#isClosed) this.#start();
    });
  }

  /** Resolves when the queue is empty, or when the disk refuses. In the second case the queue keeps its lines. */
  async #drain(): Promise<void> {
    try {
      do {
        await this.#open();
        await this.#writeBatch();
      } while (this.#waitingChunks.length > 0 || this.#isStale);
      this.#failure = undefined;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isFullPipe = code === 'EAGAIN';
      if (!isFullPipe || performance.now() - this.#writtenAt > retryMs) this.#failure = message;
      if (!this.#isClosed) this.#startIn(isFullPipe ? fullPipeMs : retryMs);
    }
  }

  #startIn(ms: number): void {
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#start();
    }, ms).unref();
  }

  async #open(): Promise<void> {
    if (this.#isStale || (await this.#isRemoved())) await this.#leave();
    if (this.#file !== undefined) return;
    this.#file = await openAtLineStart(this.#path);
    this.#checkedAt = performance.now();
  }

  /** Whether the file was deleted: writes would be lost. After a rename, log rotation sends a signal. */
  async #isRemoved(): Promise<boolean> {
    if (this.#file === undefined || performance.now() - this.#checkedAt < checkMs) return false;
    this.#checkedAt = performance.now();
    return (await statFile(this.#file)).nlink === 0;
  }

  /** Closes the file. Drops the remainder of a partly written line, so that it does not start the next file. */
  async #leave(): Promise<void> {
    const old = this.#file;
    this.#file = undefined;
    this.#isStale = false;
    const [first, ...later] = this.#waitingChunks;
    if (this.#isTorn && first) {
      const rest = first.subarray(first.indexOf(lineEnd) + 1);
      this.#waitingBytes -= first.length - rest.length;
      this.#waitingChunks = rest.length > 0 ? [rest, ...later] : later;
      this.#dropped++;
    }
    this.#isTorn = false;
    if (old !== undefined) await closeFile(old);
  }

  /** Writes the queued lines. Bytes that the write did not accept stay first: a partly written line continues. */
  async #writeBatch(): Promise<void> {
    if (this.#waitingChunks.length === 0) return;
    const batch = Buffer.concat(this.#waitingChunks);
    this.#waitingChunks = [batch];
    const { bytesWritten } = await writeFile(this.#file as number, batch, 0, batch.length, null);
    this.#writtenAt = performance.now();
    const [, ...later] = this.#waitingChunks;
    const rest = batch.subarray(bytesWritten);
    this.#waitingChunks = rest.length > 0 ? [rest, ...later] : later;
    this.#waitingBytes -= bytesWritten;
    this.#isTorn = batch[bytesWritten - 1] !== lineEnd;
  }
}
