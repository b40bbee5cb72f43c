/**
 * Limits which files another file can name. That file may come from a stranger, and errors about a file quote it: without
 * a limit, a suite in a pull request could show the keys of the machine that runs it.
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

/** `..` begins with a dot, and so do `.git` and other places of keys. */
const isBelow = (path: string, folder: string): boolean =>
  !relative(folder, path)
    .split(sep)
    .some((part) => part.startsWith('.'));

/** Problems begin with the name of their file, and a line that begins so is a command to the runner of GitHub. */
const isCommand = (name: string): boolean => name.startsWith('::');

/**
 * @param path absolute
 * @param name as the other file writes it
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
