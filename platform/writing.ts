/** What a refused write means to the user. */
import { ExternalError, UsageError } from './errors.ts';

const full = new Set(['ENOSPC', 'EDQUOT', 'EIO']);

/** The error for a place that cannot be written to. */
export interface Refusal {
  readonly code: string;
  readonly hint: string;
}

/**
 * The error of a write to `what`, which names what is written, and where: an ExternalError for a full disk, a UsageError
 * for a place that refuses it, and other errors unchanged.
 */
export function writeError(what: string, refusal: Refusal, cause: unknown): unknown {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (!/^E[A-Z]+$/.test(code)) return cause;
  const text = `cannot write ${what}: ${message}`;
  if (full.has(code))
    return new ExternalError(text, { code: 'disk_full', hint: 'free some space', failed: { tool: 'disk' }, cause });
  return new UsageError(text, { ...refusal, cause });
}

/** Runs what writes to the file system. @throws the error of `writeError` */
export function writing<T>(what: string, refusal: Refusal, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw writeError(what, refusal, error);
  }
}
