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

/** The policy file when the user names none. */
export const defaultFile = 'guard.json';

/** True when the working directory contains the default file. */
export function hasDefaultFile({ cwd }: Context): boolean {
  return existsSync(resolve(cwd, defaultFile));
}

/** File name that means standard input. */
export const stdinName = '-';

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

/** Error for the default file. The user named no file, so a hint about the name would be wrong. */
const noDefaultReason: Reason = {
  code: 'file_absent',
  message: 'no such file in the working directory',
  hint: `pass a file, or - for standard input; a ${defaultFile} with {} is the default policy`,
};

/** Maximum number of names in a folder that are compared with the name of a missing file. */
const comparedNames = 10_000;

/** Returns a suggestion from the folder in which a file is missing. */
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
 * Opens a file as a stream. A named pipe is read as a socket: otherwise the process would block in a system call until
 * a writer opens the pipe, and could not end.
 */
async function openStream(path: string, signal: AbortSignal, stat?: Stats): Promise<Readable> {
  if (!stat?.isFIFO()) return createReadStream(path, { signal, highWaterMark: 256 * 1024 });
  const { Socket } = await import('node:net'); // slow to load, and not needed for other files
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false, signal });
}

/**
 * Reads a regular file in one step. Reads pipes and devices as they produce data, and stops when the run is aborted.
 */
async function readFile(name: string, { cwd, signal }: Context): Promise<Uint8Array> {
  const path = resolve(cwd, name);
  const stat = statSync(path);
  if (stat.isFile() && stat.size > largestFile) throw tooLargeError(name);
  if (stat.isFile() && stat.size > 0) return readFileSync(path);
  return collectBytes(await openStream(path, signal, stat), name);
}

/**
 * Streams the bytes of the file `name`, or of standard input for `-`, without a limit.
 * @throws UsageError when it is absent, a folder or unreadable
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

/**
 * Reads the file `name`, relative to the working directory, or standard input for `-`.
 * @throws UsageError when it is absent, a folder, unreadable or larger than the limit
 */
export async function readSource(name: string, context: Context): Promise<Source> {
  if (name === stdinName) return readStdin(context);
  try {
    return { name, bytes: await readFile(name, context) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw unreadableError(name, context, error);
  }
}
