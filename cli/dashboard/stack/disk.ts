/** Errors of the folder of the stack, in words that say what to do. */
import { ExternalError, UsageError } from '../../../platform/errors.ts';

const full = new Set(['ENOSPC', 'EDQUOT', 'EIO']);

/** Runs what writes below the folder. @throws ExternalError for a full disk, UsageError for a folder that refuses it */
export function writing<T>(dir: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    if (!/^E[A-Z]+$/.test(code)) throw cause;
    const what = `cannot write the files of the stack to ${dir}: ${message}`;
    if (full.has(code))
      throw new ExternalError(what, { code: 'disk_full', hint: 'free some space', failed: { tool: 'disk' }, cause });
    throw new UsageError(what, {
      code: 'folder_unwritable',
      hint: 'choose a folder that you can write to: --dir',
      cause,
    });
  }
}
