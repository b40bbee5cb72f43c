/** Limits the files that an untrusted file can name. Errors quote their content, which could be a key. */
import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { UsageError } from '../../platform/errors.ts';

/** Reading a path that cannot be resolved reports the reason. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Returns false for parts that begin with a dot: `.git` and other folders can contain keys. */
const isBelow = (path: string, folder: string): boolean =>
  !relative(folder, path)
    .split(sep)
    .some((part) => part.startsWith('.'));

/** GitHub's runner executes such a line, and lines about problems begin with the name. */
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
