/** Converts the error of a refused write to an error for the user. */
import { ExternalError, UsageError } from './errors.ts';

const full = new Set(['ENOSPC', 'EDQUOT', 'EIO']);

/** The error for a location that refuses a write. */
export interface Refusal {
  readonly code: string;
  readonly hint: string;
}

/**
 * Returns the error for a failed write. `what` names the data and its location. The result is an ExternalError for a
 * full disk, a UsageError for a location that refuses the write, and otherwise the unchanged error.
 */
export function writeError(what: string, refusal: Refusal, cause: unknown): unknown {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (!/^E[A-Z]+$/.test(code)) return cause;
  const text = `cannot write ${what}: ${message}`;
  if (full.has(code))
    return new ExternalError(text, { code: 'disk_full', hint: 'free some space', failed: { tool: 'disk' }, cause });
  return new UsageError(text, { ...refusal, cause });
}

/** Runs a function that writes to the file system. @throws the error of `writeError` */
export function writing<T>(what: string, refusal: Refusal, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw writeError(what, refusal, error);
  }
}
