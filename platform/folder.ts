/** Creates folders together with their parent folders. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates a folder and its missing parents. Returns the folders that it created. Node's recursive mode is not usable:
 * it reports ENOENT for a read-only file system, and never returns when the system refuses with ENOENT, as in /proc.
 * @throws the error of the system
 */
export function makeFolder(path: string, mode = 0o777): readonly string[] {
  if (isFolder(path)) return [];
  const made = makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return made; // another process created it
    throw error;
  }
  return [...made, path];
}
