/**
 * Limits which files another file can name. The naming file may be untrusted, and errors about a file quote it. Without
 * a limit, a suite in a pull request could reveal keys of the machine that runs it.
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
 * True when the path is below the folder. False for parts that begin with a dot: `..`, and `.git` and other folders
 * that can contain keys.
 */
const isBelow = (path: string, folder: string): boolean =>
  !relative(folder, path)
    .split(sep)
    .some((part) => part.startsWith('.'));

/**
 * True when GitHub's runner would execute a line that begins with this name. The lines about problems begin with the
 * name of the file.
 */
const isCommand = (name: string): boolean => name.startsWith('::');

/**
 * Checks a path that another file names.
 * @param path absolute path
 * @param name the path as the other file writes it
 * @param folders the working directory, and the folder of the file that the user named
 * @throws UsageError for a file outside of these folders
 */
export function checkNamedFile(path: string, name: string, folders: readonly string[]): void {
  const real = realPath(path);
  if (!isCommand(name) && folders.some((folder) => isBelow(real, realPath(folder)))) return;
  throw new UsageError(`${name} is neither below the working directory nor below the folder of the file`, {
    code: 'file_outside',
    hint: 'run guardcli in a folder above it; symbolic links count as their targets, and names that begin with a dot or :: are refused',
  });
}
