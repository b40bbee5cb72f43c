/** The password of Grafana's user `admin`: generated once, in a file that only its owner can read. */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeEnterable, modes, writing } from './files.ts';

const fileOf = (dir: string): string => join(dir, 'admin-password');

/** Undefined: there is none. */
export function readPassword(dir: string): string | undefined {
  try {
    return readFileSync(fileOf(dir), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Creates the password unless there is one. Returns a new one only. */
export function createPassword(dir: string): string | undefined {
  return writing(dir, () => {
    if (readPassword(dir) !== undefined) {
      chmodSync(fileOf(dir), modes.secret);
      return undefined;
    }
    makeEnterable(dir);
    const password = randomBytes(18).toString('base64url');
    writeFileSync(fileOf(dir), password, { mode: modes.secret });
    chmodSync(fileOf(dir), modes.secret);
    return password;
  });
}
