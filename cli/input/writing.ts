/** What a refused write means to the user. */
import { ExternalError, UsageError } from '../../platform/errors.ts';

const full = new Set(['ENOSPC', 'EDQUOT', 'EIO']);

/** The error for a place that cannot be written to. */
export interface Refusal {
  readonly code: string;
  readonly hint: string;
}

/**
 * Runs what writes to the file system. `what` names what is written, and where.
 * @throws ExternalError for a full disk, UsageError for a place that refuses it; other errors unchanged
 */
export function writing<T>(what: string, refusal: Refusal, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    if (!/^E[A-Z]+$/.test(code)) throw cause;
    const text = `cannot write ${what}: ${message}`;
    if (full.has(code))
      throw new ExternalError(text, { code: 'disk_full', hint: 'free some space', failed: { tool: 'disk' }, cause });
    throw new UsageError(text, { ...refusal, cause });
  }
}
