/** Stores the password of Grafana's user `admin` in a file that only the owner can read. */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeEnterableFolder, modes, withWriteErrors } from './files.ts';

const fileOf = (dir: string): string => join(dir, 'admin-password');

export function readPassword(dir: string): string | undefined {
  try {
    return readFileSync(fileOf(dir), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Returns the password if this call created it, or undefined if the file already had one. */
export function createPassword(dir: string): string | undefined {
  return withWriteErrors(dir, () => {
    if (readPassword(dir) !== undefined) {
      chmodSync(fileOf(dir), modes.secret);
      return undefined;
    }
    makeEnterableFolder(dir);
    const password = randomBytes(18).toString('base64url');
    writeFileSync(fileOf(dir), password, { mode: modes.secret });
    chmodSync(fileOf(dir), modes.secret);
    return password;
  });
}
