import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates a folder and its parents. Returns the folders that it created. Node's recursive mode reports ENOENT for a
 * read-only file system, and never returns in /proc.
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
