/** A queue of lines for a file. Callers do not wait for the disk: one write at a time runs in the background. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { AuditFile } from './file.ts';

const retryMs = 1000; // retries after a full disk or a missing folder
const fullPipeMs = 20; // retries while a pipe is full, because its reader may only be slow
const lineEnd = 0x0a;

const replacedText = (path: string): string =>
  `the records of ${path}.1 were replaced by newer ones: rotate the file more often`;

export class LineQueue {
  #path: string;
  #file: AuditFile | undefined;
  #isStale = false;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #isTorn = false;
  #waitingChunks: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #droppedAt = Number.NEGATIVE_INFINITY;
  #replacedAt = Number.NEGATIVE_INFINITY;
  #failure: string | undefined;
  #isClosed = false;
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#path = path;
    this.reopen(path);
  }

  dropped = () => this.#dropped;
  /** Why lines are not written, and which lines were lost in the last hour. */
  problems = (): string[] => {
    const isRecent = (at: number) => performance.now() - at < daemonBounds.auditLossMs;
    return [
      ...(this.#failure === undefined ? [] : [`records are not written: ${this.#failure}`]),
      ...(isRecent(this.#droppedAt) ? [`${this.#dropped} records were dropped since the start`] : []),
      ...(isRecent(this.#replacedAt) ? [replacedText(this.#path)] : []),
    ];
  };

  push = (line: string) => {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#isClosed || this.#waitingBytes + bytes.length > daemonBounds.auditQueueBytes) {
      this.lost(1);
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
    this.lost(this.#waitingChunks.length);
    await this.#file?.close();
    this.#file = undefined;
  };

  lost = (count: number): void => {
    if (count === 0) return;
    this.#dropped += count;
    this.#droppedAt = performance.now();
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
    if (this.#isStale || (await this.#file?.isRemoved())) await this.#leave();
    this.#file ??= await AuditFile.open(this.#path);
    // The remainder of a partly written line belongs to the full file.
    if (!this.#file.isFull || this.#isTorn) return;
    if (await this.#file.rename()) this.#replacedAt = performance.now();
    await this.#leave();
    this.#file = await AuditFile.open(this.#path);
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
      this.lost(1);
    }
    this.#isTorn = false;
    await old?.close();
  }

  /** Writes the queued lines. Bytes that the write did not accept stay first: a partly written line continues. */
  async #writeBatch(): Promise<void> {
    if (this.#waitingChunks.length === 0) return;
    const batch = Buffer.concat(this.#waitingChunks);
    this.#waitingChunks = [batch];
    const bytesWritten = await (this.#file as AuditFile).write(batch);
    this.#writtenAt = performance.now();
    const [, ...later] = this.#waitingChunks;
    const rest = batch.subarray(bytesWritten);
    this.#waitingChunks = rest.length > 0 ? [rest, ...later] : later;
    this.#waitingBytes -= bytesWritten;
    this.#isTorn = batch[bytesWritten - 1] !== lineEnd;
  }
}
