/**
 * Limits which files an untrusted file, such as a suite in a pull request, can name. Errors quote the named file, which
 * could be a key.
 */
import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { UsageError } from '../../platform/errors.ts';

/** Resolves symbolic links. A path that cannot be resolved stays unchanged; reading it reports the reason. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Returns true for a path below the folder, unless a part begins with a dot: `..`, or a folder such as `.git`, which
 * can contain keys.
 */
const isBelow = (path: string, folder: string): boolean =>
  !relative(folder, path)
    .split(sep)
    .some((part) => part.startsWith('.'));

/**
 * Returns true for a name that GitHub's runner would execute. Lines about problems begin with the name, and the runner
 * executes lines that begin with `::`.
 */
const isCommand = (name: string): boolean => name.startsWith('::');

/**
 * @param name the path as the other file writes it
 * @param folders the working directory, and the folder of the file that the user named
 * @throws UsageError
 */
export function checkNamedFile(path: string, name: string, folders: readonly string[]): void {
  const real = realPath(path);
  if (!isCommand(name) && folders.some((folder) => isBelow(real, realPath(folder)))) return;
  throw new UsageError(`${name} is neither below the working directory nor below the folder of the file`, {
    code: 'file_outside',
    hint: 'run guardcli in a folder above it; symbolic links count as their targets, and names that begin with a dot or :: are refused',
  });
}
