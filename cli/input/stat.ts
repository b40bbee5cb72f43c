import { type Stats, statSync } from 'node:fs';

/** Returns the stat of a path. Undefined when the system refuses: opening the file then reports the error. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
