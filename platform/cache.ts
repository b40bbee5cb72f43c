/** The one folder where we keep what may be lost: built artefacts, locks, and the decision about image registries. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { writeError } from './writing.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `$XDG_CACHE_HOME/request-guard`, or `~/.cache/request-guard`; the XDG rules say to ignore a relative value. */
export function cacheFolder(env: Environment = process.env): string {
  const wanted = env.XDG_CACHE_HOME ?? '';
  return join(isAbsolute(wanted) ? wanted : join(homedir(), '.cache'), 'request-guard');
}

const refusal = { code: 'cache_unwritable', hint: 'set XDG_CACHE_HOME to a folder that can be written' };

/** The error of a write to the cache folder: an ExternalError for a full disk, a UsageError where the system refuses. */
export const cacheError = (cause: unknown, env: Environment = process.env): unknown =>
  writeError(`the cache in ${cacheFolder(env)}`, refusal, cause);

/** Waits for what writes to the cache folder. @throws the error of `cacheError` */
export async function writingCache<T>(write: () => Promise<T>, env: Environment = process.env): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw cacheError(error, env);
  }
}

/** Whether an error, or what a failed program printed, says that a disk is full. */
export function isFullDisk(error: unknown): boolean {
  const { code, message, failed } = error as { code?: unknown; message?: string; failed?: { output?: string } };
  return code === 'ENOSPC' || /ENOSPC|no space left on device/i.test(`${message}\n${failed?.output}`);
}
