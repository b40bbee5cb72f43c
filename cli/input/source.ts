/** Bytes of a file that the user named, or of standard input: bounded, and with an error that says what to do. */
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { limits } from '../../contract/policy/limits.ts';
import { UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';

/** The largest file that any of our loaders takes. */
const largestFile = Math.max(limits.policyFileBytes, limits.daemonFileBytes);

/** The policy file that commands use when none is named. */
export const defaultFile = 'guard.json';

/** Whether the working directory has one. */
export function hasDefaultFile({ cwd }: Context): boolean {
  return existsSync(resolve(cwd, defaultFile));
}

/** What stands for standard input wherever a file can be named. */
export const stdinName = '-';

export interface Source {
  /** The name as the user knows it; `<stdin>` for standard input. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Reason {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const reasons: Readonly<Record<string, Reason>> = {
  ENOENT: {
    code: 'file_absent',
    message: 'there is no such file',
    hint: 'check the name, or give - for standard input',
  },
  ENOTDIR: { code: 'file_absent', message: 'part of its path is no folder', hint: 'check the name' },
  EISDIR: { code: 'file_is_folder', message: 'it is a folder', hint: 'name the file in it, such as guard.json' },
  EACCES: { code: 'file_unreadable', message: 'permission denied', hint: 'make it readable for you (chmod, chown)' },
  EPERM: { code: 'file_unreadable', message: 'permission denied', hint: 'make it readable for you' },
};

/** Whoever named no file did not misspell one. */
const noDefault: Reason = {
  code: 'file_absent',
  message: 'there is no such file here',
  hint: `name one, or give - for standard input; {} in ${defaultFile} is a policy of defaults`,
};

function unreadable(name: string, cause: unknown): UsageError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const isDefault = code === 'ENOENT' && name === defaultFile;
  const known = isDefault ? noDefault : (reasons[code] ?? { code: 'file_unreadable', message, hint: 'check the name' });
  return new UsageError(`cannot read ${name}: ${known.message}`, { code: known.code, hint: known.hint, cause });
}

function tooLarge(name: string): UsageError {
  const hint = `no policy or configuration file has more than ${largestFile} bytes; is it the right file?`;
  return new UsageError(`cannot read ${name}: it is too large`, { code: 'file_too_large', hint });
}

async function collect(stream: Readable, name: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > largestFile) throw tooLarge(name);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A regular file is read at once; pipes and devices as they come, and not at all for longer than the run lasts. */
async function readFile(name: string, { cwd, signal }: Context): Promise<Uint8Array> {
  const path = resolve(cwd, name);
  const stat = statSync(path);
  if (stat.isFile() && stat.size > largestFile) throw tooLarge(name);
  if (stat.isFile() && stat.size > 0) return readFileSync(path);
  return collect(createReadStream(path, { signal }), name);
}

/**
 * The bytes of the file `name`, or of standard input for `-`, as they come and however many there are.
 * @throws UsageError when it is absent, a folder or unreadable
 */
export async function* streamSource(name: string, { cwd, stdin, signal }: Context): AsyncGenerator<Buffer> {
  const { addAbortSignal } = await import('node:stream'); // slow to load, and small files do without
  const isStdin = name === stdinName;
  try {
    yield* addAbortSignal(
      signal,
      isStdin ? stdin : createReadStream(resolve(cwd, name), { highWaterMark: 256 * 1024 }),
    );
  } catch (error) {
    throw signal.aborted ? error : unreadable(isStdin ? '<stdin>' : name, error);
  }
}

async function readStdin({ stdin, signal }: Context): Promise<Source> {
  const { addAbortSignal } = await import('node:stream'); // slow to load, and files do without
  const name = '<stdin>';
  return { name, bytes: await collect(addAbortSignal(signal, stdin), name) };
}

/**
 * Reads the file `name`, relative to the working directory, or standard input for `-`.
 * @throws UsageError when it is absent, a folder, unreadable or larger than a policy may be
 */
export async function readSource(name: string, context: Context): Promise<Source> {
  if (name === stdinName) return readStdin(context);
  try {
    return { name, bytes: await readFile(name, context) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw unreadable(name, error);
  }
}
