/** The open audit file: lines are appended, and a full file becomes `<name>.1`. */
import { close, constants, fstat, lstat, open, read, realpath, rename, type Stats, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { makeFolder } from '../../platform/folder.ts';
import { isAbsent } from '../../platform/regular-file.ts';

const [openFile, statFile, readFile, writeFile, closeFile] = [
  promisify(open),
  promisify(fstat),
  promisify(read),
  promisify(write),
  promisify(close),
];
const [statPath, resolvePath, renamePath] = [promisify(lstat), promisify(realpath), promisify(rename)];
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

/** Resolves with undefined when the path does not exist. */
const found = <Value>(work: Promise<Value>): Promise<Value | undefined> =>
  work.catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });

export class AuditFile {
  readonly #path: string;
  readonly #file: number;
  #stat: Stats;
  #checkedAt = performance.now();
  #writtenBytes = 0;

  private constructor(path: string, file: number, stat: Stats) {
    this.#path = path;
    this.#file = file;
    this.#stat = stat;
  }

  /** Opens a file and completes its last line, which a kill or a full disk may have cut off. */
  static async open(path: string): Promise<AuditFile> {
    const file = await openCreatingFolders(path);
    try {
      const stat = await statFile(file);
      if (await endsWithinLine(path, stat.size).catch(() => false)) await writeFile(file, Buffer.of(lineEnd));
      return new AuditFile(path, file, stat);
    } catch (error) {
      await closeFile(file);
      throw error;
    }
  }

  /** Whether the file has reached its bound. Pipes and devices keep nothing. */
  get isFull(): boolean {
    return this.#stat.isFile() && this.#stat.size + this.#writtenBytes >= daemonBounds.auditFileBytes;
  }

  /** Whether the file was deleted: writes would be lost. After a rename, log rotation sends a signal. */
  async isRemoved(): Promise<boolean> {
    if (performance.now() - this.#checkedAt < checkMs) return false;
    this.#checkedAt = performance.now();
    this.#stat = await statFile(this.#file);
    this.#writtenBytes = 0;
    return this.#stat.nlink === 0;
  }

  /** Returns the number of bytes that the file accepted. */
  async write(bytes: Buffer): Promise<number> {
    const { bytesWritten } = await writeFile(this.#file, bytes, 0, bytes.length, null);
    this.#writtenBytes += bytesWritten;
    return bytesWritten;
  }

  /**
   * Renames the file to `<name>.1`, unless log rotation has renamed it. Behind a symbolic link, renames its target.
   * Returns whether this replaced an earlier file.
   */
  async rename(): Promise<boolean> {
    const path = await found(resolvePath(this.#path));
    const current = path === undefined ? undefined : await found(statPath(path));
    if (path === undefined || current?.ino !== this.#stat.ino || current.dev !== this.#stat.dev) return false;
    const isReplacing = (await found(statPath(`${path}.1`))) !== undefined;
    await renamePath(path, `${path}.1`);
    return isReplacing;
  }

  close = (): Promise<void> => closeFile(this.#file);
}
