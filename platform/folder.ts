/** Folders with those above them. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Makes a folder that does not exist, and those above it. Returns those that it made. The recursive mode of Node reports
 * ENOENT for a read-only file system, and never returns where the system refuses with ENOENT, as in /proc.
 * @throws the error of the system
 */
export function makeFolder(path: string, mode = 0o777): readonly string[] {
  if (isFolder(path)) return [];
  const made = makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return made; // another process made it
    throw error;
  }
  return [...made, path];
}
