/**
 * The cache folder. Its contents can be lost without harm: build results, locks, and whether an image registry
 * responds.
 */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { writeError } from './writing.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the cache folder, in XDG_CACHE_HOME or `~/.cache`. Ignores a relative value, as the XDG specification
 * requires.
 */
export function cacheFolder(env: Environment = process.env): string {
  const configured = env.XDG_CACHE_HOME ?? '';
  return join(isAbsolute(configured) ? configured : join(homedir(), '.cache'), 'request-guard');
}

const cacheRefusal = { code: 'cache_unwritable', hint: 'set XDG_CACHE_HOME to a folder that can be written' };

/**
 * Returns the error for a failed write to the cache folder: an ExternalError for a full disk, a UsageError when the
 * system refuses the write. Returns any other error unchanged.
 */
export const cacheError = (cause: unknown, env: Environment = process.env): unknown =>
  writeError(`the cache in ${cacheFolder(env)}`, cacheRefusal, cause);

/** Runs a function that writes to the cache folder. @throws the error of `cacheError` */
export async function writingCache<T>(write: () => Promise<T>, env: Environment = process.env): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw cacheError(error, env);
  }
}

/** Returns true when an error, or the output of a failed program, reports a full disk. */
export function isFullDisk(error: unknown): boolean {
  const { code, message, failed } = error as { code?: unknown; message?: string; failed?: { output?: string } };
  return code === 'ENOSPC' || /ENOSPC|no space left on device/i.test(`${message}\n${failed?.output}`);
}
