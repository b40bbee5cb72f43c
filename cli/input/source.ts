/** Reads a file that the user named, or standard input, up to a limit. Errors say what to do. */
import {
  constants,
  createReadStream,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { limits } from '../../contract/policy/limits.ts';
import { nearest } from '../../contract/values/nearest.ts';
import { bytesWithin } from '../../platform/bounded.ts';
import { UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';

/** The largest file that any loader accepts. */
const largestFile = Math.max(limits.policyFileBytes, limits.daemonFileBytes);

export const defaultFile = 'guard.json';

export function hasDefaultFile({ cwd }: Context): boolean {
  return existsSync(resolve(cwd, defaultFile));
}

export const stdinName = '-';

/** @throws UsageError when more than one of the inputs is standard input */
export function refuseStdinTwice(names: readonly (string | undefined)[], hint = 'name it once'): void {
  if (names.filter((name) => name === stdinName).length > 1)
    throw new UsageError('standard input is used twice', { code: 'conflict', hint });
}

/** Returns the arguments that name a policy to another command. `name` is null for the default policy. */
export function configOption(name: string | null): string[] {
  if (name === null || name === defaultFile) return [];
  return ['-c', name === '<stdin>' ? stdinName : name];
}

export interface Source {
  /** The name for messages; `<stdin>` for standard input. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Reason {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const readErrors: Readonly<Record<string, Reason>> = {
  ENOENT: {
    code: 'file_absent',
    message: 'no such file',
    hint: 'check the name, or pass - for standard input',
  },
  ENOTDIR: { code: 'file_absent', message: 'a part of its path is not a folder', hint: 'check the name' },
  EISDIR: { code: 'file_is_folder', message: 'it is a folder', hint: 'pass a file in it' },
  EACCES: { code: 'file_unreadable', message: 'permission denied', hint: 'make it readable for you (chmod, chown)' },
  EPERM: { code: 'file_unreadable', message: 'permission denied', hint: 'make it readable for you' },
};

/** Error when the default file is missing. The user named no file, so a hint about the name would be wrong. */
const noDefaultReason: Reason = {
  code: 'file_absent',
  message: 'no such file in the working directory',
  hint: `pass a file, or - for standard input; a ${defaultFile} with {} is the default policy`,
};

/** Number of names that are compared with the name of a missing file. */
const comparedNames = 10_000;

function nearHint(name: string, { cwd }: Pick<Context, 'cwd'>): string | undefined {
  const file = basename(name);
  try {
    const near = nearest(file, readdirSync(dirname(resolve(cwd, name))).slice(0, comparedNames));
    return near && `did you mean "${name.slice(0, -file.length)}${near}"?`;
  } catch {
    return undefined; // the folder is missing, too, or cannot be read
  }
}

function unreadableError(name: string, context: Pick<Context, 'cwd'>, cause: unknown): UsageError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const isDefault = code === 'ENOENT' && name === defaultFile;
  const reason = isDefault
    ? noDefaultReason
    : (readErrors[code] ?? { code: 'file_unreadable', message, hint: 'check the name' });
  const hint = (code === 'ENOENT' ? nearHint(name, context) : undefined) ?? reason.hint;
  return new UsageError(`cannot read ${name}: ${reason.message}`, { code: reason.code, hint, cause });
}

function tooLargeError(name: string): UsageError {
  const hint = `no policy or configuration file has more than ${largestFile} bytes; check the name`;
  return new UsageError(`cannot read ${name}: it is too large`, { code: 'file_too_large', hint });
}

async function collectBytes(stream: Readable, name: string): Promise<Uint8Array> {
  const bytes = await bytesWithin(stream, largestFile);
  if (!bytes) throw tooLargeError(name);
  return bytes;
}

/**
 * Opens a file as a stream. Opens a named pipe without blocking, and reads it as a socket: a blocking open would wait
 * for a writer.
 */
async function openStream(path: string, signal: AbortSignal, stat?: Stats): Promise<Readable> {
  if (!stat?.isFIFO()) return createReadStream(path, { signal, highWaterMark: 256 * 1024 });
  const { Socket } = await import('node:net'); // slow to load, and not needed for other files
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false, signal });
}

/** Reads a file. Pipes and devices are read as they produce data. */
async function readFile(name: string, { cwd, signal }: Context): Promise<Uint8Array> {
  const path = resolve(cwd, name);
  const stat = statSync(path);
  if (stat.isFile() && stat.size > largestFile) throw tooLargeError(name);
  if (stat.isFile() && stat.size > 0) return readFileSync(path);
  return collectBytes(await openStream(path, signal, stat), name);
}

/**
 * Yields the chunks of a file, or of standard input for `-`. Has no size limit, unlike `readSource`.
 * @throws UsageError
 */
export async function* streamSource(name: string, context: Context): AsyncGenerator<Buffer> {
  const { addAbortSignal } = await import('node:stream'); // slow to load, and not needed for small files
  const isStdin = name === stdinName;
  const { cwd, stdin, signal } = context;
  try {
    const path = resolve(cwd, name);
    yield* isStdin
      ? addAbortSignal(signal, stdin)
      : await openStream(path, signal, statSync(path, { throwIfNoEntry: false }));
  } catch (error) {
    throw signal.aborted ? error : unreadableError(isStdin ? '<stdin>' : name, context, error);
  }
}

async function readStdin({ stdin, signal }: Context): Promise<Source> {
  const { addAbortSignal } = await import('node:stream'); // slow to load, and not needed for files
  const name = '<stdin>';
  return { name, bytes: await collectBytes(addAbortSignal(signal, stdin), name) };
}

/** Reads a file, or standard input for `-`. @throws UsageError, also when the content exceeds the size limit */
export async function readSource(name: string, context: Context): Promise<Source> {
  if (name === stdinName) return readStdin(context);
  try {
    return { name, bytes: await readFile(name, context) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw unreadableError(name, context, error);
  }
}
