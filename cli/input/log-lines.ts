import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';
import { type Line, linesOf } from './lines.ts';
import { stdinName, streamSource } from './source.ts';
import { statOf } from './stat.ts';

const gzipMagic = Buffer.from([0x1f, 0x8b]);
export const isGzip = (head: Buffer): boolean => head.subarray(0, gzipMagic.length).equals(gzipMagic);

const unpackedBytes = 256 * 1024;

export const nameOf = (file: string): string => (file === stdinName ? '<stdin>' : file);

/** Identifies a regular file, whatever its name. Returns undefined for anything else. */
export function identityOf(file: string, { cwd }: Context): string | undefined {
  const stat = file === stdinName ? undefined : statOf(resolve(cwd, file));
  return stat?.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
}

/** @throws UsageError when two names refer to the same file, because its lines would count twice */
export function refuseRepeatedFiles(files: readonly string[], context: Context): void {
  const names = new Map<string, string>();
  for (const file of files) {
    const identity = identityOf(file, context);
    if (identity === undefined) continue;
    const former = names.get(identity);
    if (former !== undefined)
      throw new UsageError(former === file ? `${file} is named twice` : `${file} and ${former} are the same file`, {
        code: 'conflict',
        hint: 'its lines would count twice: name it once',
      });
    names.set(identity, file);
  }
}

/**
 * Reads the start of a file: at least the length of the gzip magic number, or the whole file if it is shorter. Returns
 * the start and the remaining chunks.
 */
async function peekHead(chunks: AsyncGenerator<Buffer>): Promise<readonly [Buffer, AsyncGenerator<Buffer>]> {
  let head = Buffer.alloc(0);
  while (head.length < gzipMagic.length) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return [head, chunks];
}

type OnRead = (bytes: number) => void;

async function* joinChunks(head: Buffer, rest: AsyncGenerator<Buffer>, onRead: OnRead): AsyncGenerator<Buffer> {
  onRead(head.length);
  if (head.length > 0) yield head;
  for await (const chunk of rest) {
    onRead(chunk.length);
    yield chunk;
  }
}

/** Describes damaged gzip data. Returns undefined for any other error. */
export function damageOf(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return 'the gzip data ends early; what comes before is counted';
  return code?.startsWith('Z_') ? 'the gzip data is damaged; what comes before is counted' : undefined;
}

/** Decompresses gzip data. Errors of `packed` reach the reader unchanged. */
function decompress(packed: AsyncGenerator<Buffer>): AsyncIterable<Buffer> {
  return pipeline(packed, createGunzip({ chunkSize: unpackedBytes }), () => {}); // the reader gets the error
}

/**
 * Yields the bytes of a file, decompressed if needed. `onRead` receives the size of each chunk before decompression.
 * @throws UsageError
 */
export async function* readBytes(file: string, context: Context, onRead: OnRead = () => {}): AsyncGenerator<Buffer> {
  const [head, rest] = await peekHead(streamSource(file, context));
  const bytes = joinChunks(head, rest, onRead);
  yield* isGzip(head) ? decompress(bytes) : bytes;
}

/**
 * Yields the lines of a file, cut after `mostBytes`. Returns a description of the damage if the compressed data is
 * damaged or ends early, otherwise undefined.
 * @throws UsageError
 */
export async function* readLines(
  file: string,
  mostBytes: number,
  context: Context,
  onRead: OnRead = () => {},
): AsyncGenerator<readonly Line[], string | undefined> {
  try {
    yield* linesOf(readBytes(file, context, onRead), mostBytes);
    return undefined;
  } catch (error) {
    const problem = damageOf(error);
    if (problem === undefined) throw error;
    return problem;
  }
}
