/** The lines of log files as they come, unpacked where they are compressed. */
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Line, linesOf } from '../batch/lines.ts';
import type { Context } from '../program/context.ts';
import { stdinName, streamSource } from './source.ts';

const gzipMagic = Buffer.from([0x1f, 0x8b]);
const unpackedBytes = 256 * 1024;

export const nameOf = (file: string): string => (file === stdinName ? '<stdin>' : file);

/** The first bytes, as many as the magic number has, and then all others. */
async function peek(chunks: AsyncGenerator<Buffer>): Promise<readonly [Buffer, AsyncGenerator<Buffer>]> {
  let head = Buffer.alloc(0);
  while (head.length < gzipMagic.length) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return [head, chunks];
}

type OnRead = (bytes: number) => void;

async function* joined(head: Buffer, rest: AsyncGenerator<Buffer>, onRead: OnRead): AsyncGenerator<Buffer> {
  onRead(head.length);
  if (head.length > 0) yield head;
  for await (const chunk of rest) {
    onRead(chunk.length);
    yield chunk;
  }
}

/** What is wrong with compressed data; undefined: the error is another one. */
function damage(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return 'the gzip data ends early; what comes before is counted';
  return code?.startsWith('Z_') ? 'the gzip data is damaged; what comes before is counted' : undefined;
}

/** The unpacked bytes. An error of reading `packed` is passed on unchanged. */
function unpacked(packed: AsyncGenerator<Buffer>): AsyncIterable<Buffer> {
  return pipeline(packed, createGunzip({ chunkSize: unpackedBytes }), () => {}); // the reader gets the error
}

/**
 * Yields the lines of `file` in pieces, and returns what is wrong with its end. Of a line, the first `mostBytes` bytes
 * are kept. `onRead` receives the size of each piece of the file itself, which may be compressed.
 * @throws UsageError when it is absent, a folder or unreadable
 */
export async function* readLines(
  file: string,
  mostBytes: number,
  context: Context,
  onRead: OnRead = () => {},
): AsyncGenerator<readonly Line[], string | undefined> {
  const [head, rest] = await peek(streamSource(file, context));
  const bytes = joined(head, rest, onRead);
  const isPacked = head.subarray(0, gzipMagic.length).equals(gzipMagic);
  try {
    yield* linesOf(isPacked ? unpacked(bytes) : bytes, mostBytes);
    return undefined;
  } catch (error) {
    const problem = damage(error);
    if (problem === undefined) throw error;
    return problem;
  }
}
