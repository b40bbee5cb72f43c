/** Detects that a file of the store was removed, replaced or truncated. SQLite continues with its open file. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';

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
