/**
 * Detects that a file of the store was removed, replaced or truncated: SQLite continues with its open file. Renames
 * damaged files.
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Without `-shm`: under an exclusive lock, SQLite keeps the index of the log in memory. */
const suffixes = ['', '-wal'];

/** The identity and size of a file. Undefined when the file does not exist. */
type FileState = { readonly identity: string; readonly bytes: number } | undefined;

function statOf(path: string): FileState {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && { identity: `${found.dev}:${found.ino}`, bytes: found.size };
}

export class StoreFiles {
  readonly #paths: readonly string[];
  #knownStates: readonly FileState[] | undefined;

  constructor(path: string) {
    this.#paths = suffixes.map((suffix) => path + suffix);
  }

  /** Call it after a transaction. Until the next one, only another process can change the files. */
  remember(): void {
    this.#knownStates = this.#paths.map(statOf);
  }

  /** Forgets the files, because the next ones belong to a new store. */
  forget(): void {
    this.#knownStates = undefined;
  }

  /**
   * The name of the first file that differs from the remembered one.
   * @param hasGrown true after a transaction, which changes the sizes
   */
  lostFile(hasGrown = false): string | undefined {
    const path = this.#paths.find((one, index) => {
      if (!this.#knownStates) return false;
      const [now, then] = [statOf(one), this.#knownStates[index]];
      return now?.identity !== then?.identity || (!hasGrown && now?.bytes !== then?.bytes);
    });
    return path === undefined ? undefined : basename(path);
  }
}

const damagedMark = '.damaged-';

/**
 * Renames a damaged store. Returns the new path, or undefined when no file exists. The database is renamed first: after
 * a kill, SQLite removes the log, because the next database is empty.
 */
export function setAside(path: string, now: number): string | undefined {
  const asidePath = path + damagedMark + new Date(now).toISOString().replaceAll(/[-:]/g, '');
  const left = ['', '-wal', '-shm'].filter((suffix) => existsSync(path + suffix));
  for (const suffix of left) renameSync(path + suffix, asidePath + suffix);
  return left.length > 0 ? asidePath : undefined;
}

/** The path of the damaged store that was renamed last. */
export function lastDamaged(path: string): string | undefined {
  const isDamaged = (name: string) => name.startsWith(basename(path) + damagedMark) && !/-(?:wal|shm)$/.test(name);
  const last = readdirSync(dirname(path)).filter(isDamaged).sort().at(-1);
  return last && join(dirname(path), last);
}

/** Waits until a file or folder is on disk. */
export function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
