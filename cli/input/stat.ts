import { type Stats, statSync } from 'node:fs';

/** Returns undefined when the system refuses. Opening the file then reports the error. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
