import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { whyBounds } from '../counting/bounds.ts';
import { isGzip, readBytes } from '../input/log-lines.ts';
import { stdinName } from '../input/source.ts';
import { statOf } from '../input/stat.ts';
import type { Context } from '../program/context.ts';

const chunkBytes = 256 * 1024;

/** Number of chunks in memory: those on both sides of an event, and those that are being read. */
const ringChunks = (2 * whyBounds.countedBytes) / chunkBytes + 8;

/** Reads the next chunk ahead. A chunk is overwritten `ringChunks` chunks later. */
async function* recycledChunks(handle: FileHandle, { signal }: Context): AsyncGenerator<Buffer> {
  const ring = Array.from({ length: ringChunks }, () => Buffer.allocUnsafeSlow(chunkBytes));
  const read = (at: number) => handle.read(ring[at % ringChunks] as Buffer, 0, chunkBytes, null);
  let next = read(0);
  for (let at = 1; ; at += 1) {
    const { buffer, bytesRead } = await next;
    signal.throwIfAborted();
    if (bytesRead === 0) return;
    next = read(at);
    next.catch(() => {}); // the generator may end before it awaits the read
    yield buffer.subarray(0, bytesRead);
  }
}

/** Yields the chunks of a plain file. Returns false for a file that is compressed, not regular or not readable. */
async function* recycledFile(file: string, context: Context): AsyncGenerator<Buffer, boolean> {
  const path = resolve(context.cwd, file);
  if (file === stdinName || !statOf(path)?.isFile()) return false;
  const handle = await open(path).catch(() => undefined);
  if (!handle) return false;
  try {
    const chunks = recycledChunks(handle, context);
    const first = await chunks.next();
    if (first.done) return true;
    if (isGzip(first.value)) return false;
    yield first.value;
    yield* chunks;
    return true;
  } finally {
    await handle.close();
  }
}

/**
 * Yields the chunks of a file. Reuses their memory, because allocating each chunk would take as long as the search. A
 * chunk is valid until twice `countedBytes` more bytes have been read.
 * @throws UsageError when the file is absent, a folder or unreadable
 */
export async function* chunksOf(file: string, context: Context): AsyncGenerator<Buffer> {
  if (!(yield* recycledFile(file, context))) yield* readBytes(file, context);
}
