import { type Stats, statSync } from 'node:fs';

/** Undefined: the file is absent, or the system cannot examine it, which the error of opening it reports. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
