/**
 * Opens files of a running daemon. The path can have become a pipe, whose opening waits for the other end and would block
 * the process, or a device that never ends.
 */
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, type Stats } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { getSystemErrorMessage } from 'node:util';

/** Whether an operation failed because a file does not exist. */
export const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Returns why a file cannot be read or written, as a clause. It names the file only where Node does. It has none of the
 * content, which the error of `JSON.parse` quotes: a link may name the file of another program.
 */
export function readReason(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not JSON';
  const { errno, code, message } = error as NodeJS.ErrnoException;
  // `rm` of Node refuses folders with an error whose number is not one of the system.
  return errno === undefined || errno >= 0 ? message || `${code}` : getSystemErrorMessage(errno);
}

const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/** @throws Error when it is not a regular file; with the code EISDIR for a folder */
function checkKind(stat: Stats): void {
  if (stat.isFile()) return;
  throw Object.assign(new Error('not a regular file'), stat.isDirectory() && { code: 'EISDIR' });
}

/** Allocates a buffer for the content. @throws Error when the file is not a regular file or is too large */
function bufferFor(stat: Stats, mostBytes: number): Buffer<ArrayBuffer> {
  checkKind(stat);
  if (stat.size > mostBytes) throw new Error(`it has ${stat.size} bytes, and at most ${mostBytes} are read`);
  return Buffer.alloc(stat.size);
}

/**
 * Opens a regular file. Rejects when the path cannot be opened or is not a regular file. The caller closes the handle.
 */
export async function openRegular(path: string): Promise<{ readonly handle: FileHandle; readonly stat: Stats }> {
  const handle = await open(path, flags);
  try {
    const stat = await handle.stat();
    checkKind(stat);
    return { handle, stat };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Returns the content that a regular file has when it is opened. Does not read bytes that are appended later. */
export async function readRegular(path: string, mostBytes: number): Promise<Buffer<ArrayBuffer>> {
  const { handle, stat } = await openRegular(path);
  try {
    const buffer = bufferFor(stat, mostBytes);
    for (let at = 0; at < buffer.length; ) {
      const { bytesRead } = await handle.read(buffer, at, buffer.length - at, at);
      if (bytesRead === 0) return buffer.subarray(0, at); // the file was truncated during the read
      at += bytesRead;
    }
    return buffer;
  } finally {
    await handle.close();
  }
}

/**
 * Creates a file that only its owner can read, when it does not exist. @throws Error when the path is not a regular
 * file
 */
export function createRegularSync(path: string): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK, 0o600);
  try {
    checkKind(fstatSync(file));
  } finally {
    closeSync(file);
  }
}

/**
 * Creates a file that only its owner can read, in place of a file, link or pipe: opening a pipe would wait for a reader,
 * and a link would be followed. Rejects when a folder is there. The caller closes the handle.
 */
export async function openNew(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, 'wx', 0o600);
}

/**
 * Replaces a file in one step with what `write` writes. Only its owner can read it, unless `write` changes its mode.
 * Rejects when that fails; the old file stays.
 */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<unknown>): Promise<void> {
  const unfinished = `${path}.new`;
  const file = await openNew(unfinished);
  try {
    try {
      await write(file);
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Replaces a file in one step with what `write` writes to the path it receives. The path has the number of this process,
 * so that two processes do not write to the same file. @throws what `write` throws; the old file stays
 */
export function replaceFileSync(path: string, write: (unfinished: string) => void): void {
  const unfinished = `${path}.${process.pid}`;
  rmSync(unfinished, { force: true }); // of an earlier process with this number
  try {
    write(unfinished);
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Returns at most `mostBytes` from the end of a file. @throws Error when it is not regular or cannot be read */
export function readTailSync(path: string, mostBytes: number): Buffer {
  const file = openSync(path, flags);
  try {
    const stat = fstatSync(file);
    checkKind(stat);
    const buffer = Buffer.alloc(Math.min(stat.size, mostBytes));
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, stat.size - buffer.length));
  } finally {
    closeSync(file);
  }
}

/** Reads like `readRegular`, synchronously. */
export function readRegularSync(path: string, mostBytes: number): Buffer<ArrayBuffer> {
  const file = openSync(path, flags);
  try {
    const buffer = bufferFor(fstatSync(file), mostBytes);
    for (let at = 0; at < buffer.length; ) {
      const bytesRead = readSync(file, buffer, at, buffer.length - at, at);
      if (bytesRead === 0) return buffer.subarray(0, at);
      at += bytesRead;
    }
    return buffer;
  } finally {
    closeSync(file);
  }
}

/** Bytes that are read at once from what may be a pipe. */
const pieceBytes = 64 * 1024;

/** Reads all of a file or pipe that the user named: it waits for the writer of a pipe. @throws Error when it has more bytes */
export function readPipeSync(path: string, mostBytes: number): Buffer {
  const file = openSync(path, constants.O_RDONLY);
  try {
    const pieces: Buffer[] = [];
    for (let left = mostBytes; left >= 0; ) {
      const piece = Buffer.alloc(Math.min(pieceBytes, left + 1));
      const bytesRead = readSync(file, piece);
      if (bytesRead === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, bytesRead));
      left -= bytesRead;
    }
    throw new Error(`it has more than ${mostBytes} bytes`);
  } finally {
    closeSync(file);
  }
}
