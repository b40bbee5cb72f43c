import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ExternalError, UsageError } from './errors.ts';

const fullDiskCodes = new Set(['ENOSPC', 'EDQUOT', 'EIO']);

/** Code and hint of the error for a location that refuses a write. */
export interface Refusal {
  readonly code: string;
  readonly hint: string;
}

/** Words for errors of the system: by the call and the code, or by the code. */
const reasons: Readonly<Record<string, string>> = {
  'mkdir EEXIST': 'a file is in the place of its folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/**
 * Returns the missing folder that causes the error. Returns undefined for another cause, also of ENOENT, as in /proc.
 */
function missingFolder({ code, path }: NodeJS.ErrnoException): string | undefined {
  if (code !== 'ENOENT' || path === undefined || existsSync(dirname(path))) return undefined;
  return dirname(path);
}

/**
 * Returns the error for a failed write: ExternalError for a full or failing disk, UsageError for a refused write.
 * Returns `cause` unchanged when it is not an error of the system. `what` names the data and its location.
 */
export function writeError(what: string, refusal: Refusal, cause: unknown): unknown {
  const error = cause as NodeJS.ErrnoException;
  const { code = '' } = error;
  if (!/^E[A-Z]+$/.test(code)) return cause;
  const folder = missingFolder(error);
  const reason =
    folder === undefined
      ? (reasons[`${error.syscall} ${code}`] ?? reasons[code] ?? error.message)
      : `the folder ${folder} does not exist`;
  const text = `cannot write ${what}: ${reason}`;
  if (fullDiskCodes.has(code))
    return new ExternalError(text, { code: 'disk_full', hint: 'free some space', failed: { tool: 'disk' }, cause });
  const hint = folder === undefined ? refusal.hint : `create it, or ${refusal.hint}`;
  return new UsageError(text, { ...refusal, hint, cause });
}

/** Runs a function that writes to the file system. @throws the error of `writeError` */
export function writing<T>(what: string, refusal: Refusal, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw writeError(what, refusal, error);
  }
}
