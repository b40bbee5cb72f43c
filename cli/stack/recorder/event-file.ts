/** Appends event lines to a file of bounded size, which the collector of the dashboard reads. */
import { createWriteStream, openSync, renameSync, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

/** A file of this size becomes `<name>.1`, in place of the previous one. */
const mostBytes = 16 * 1024 * 1024;
/** Bytes that may wait for a slow disk. Further lines are dropped. */
const mostWaitingBytes = 4 * 1024 * 1024;
/** Only the user may read addresses, which are personal data. The collector can read files of every user. */
const fileMode = 0o600;

export interface EventFile {
  readonly send: (line: string) => void;
  readonly close: () => Promise<void>;
}

/** Ignores errors, because the `error` listener of the stream logs the first one. */
const untilClosed = (stream: WriteStream): Promise<void> => finished(stream).catch(() => {});

class BoundedFile implements EventFile {
  readonly #path: string;
  readonly #log: (message: string) => void;
  readonly #mostBytes: number;
  #stream: WriteStream;
  #earlierStreams: Promise<unknown> = Promise.resolve();
  #bytes: number;
  #isBroken = false;
  #droppedLines = 0;

  constructor(path: string, bytes: number, log: (message: string) => void, most: number) {
    this.#path = path;
    this.#bytes = bytes;
    this.#log = log;
    this.#mostBytes = most;
    this.#stream = this.#open();
  }

  #open(): WriteStream {
    const stream = createWriteStream(this.#path, { fd: openSync(this.#path, 'a', fileMode) });
    stream.on('error', ({ message }) => {
      if (!this.#isBroken) this.#log(`the dashboard gets no more events of this sandbox: ${message}`);
      this.#isBroken = true;
    });
    return stream;
  }

  /** The old stream writes its buffered lines to the renamed file. The collector reads that file to its end. */
  #rotate(): void {
    const full = this.#stream;
    try {
      renameSync(this.#path, `${this.#path}.1`);
      this.#stream = this.#open();
      this.#bytes = 0;
      full.end();
      this.#earlierStreams = Promise.all([this.#earlierStreams, untilClosed(full)]);
    } catch (error) {
      full.destroy(error as Error);
    }
  }

  send = (line: string): void => {
    if (this.#isBroken || this.#stream.writableLength > mostWaitingBytes) {
      this.#droppedLines++;
      return;
    }
    if (this.#bytes >= this.#mostBytes) this.#rotate();
    const text = `${line}\n`;
    this.#bytes += Buffer.byteLength(text);
    this.#stream.write(text);
  };

  close = async (): Promise<void> => {
    this.#stream.end();
    await Promise.all([this.#earlierStreams, untilClosed(this.#stream)]);
    if (this.#droppedLines > 0) this.#log(`the dashboard missed ${this.#droppedLines} events of this sandbox`);
  };
}

/** Opens an event file. Returns undefined when `folder` is not an existing folder. @throws Error when it cannot open */
export async function openEventFile(
  folder: string,
  name: string,
  log: (message: string) => void,
  most: number = mostBytes,
): Promise<EventFile | undefined> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return undefined;
  const path = join(folder, name);
  const size = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  return new BoundedFile(path, size, log, most);
}
