/** Notices when a file of the ban store was removed, replaced or truncated: SQLite continues with the one it has open. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';

/** There is no `-shm` to lose: with its lock on the store, SQLite keeps the index of the log in memory. */
const suffixes = ['', '-wal'];

/** What a path names; undefined: nothing. */
type ChunkVerdict = { readonly identity: string; readonly bytes: number } | undefined;

function statOf(path: string): ChunkVerdict {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && { identity: `${found.dev}:${found.ino}`, bytes: found.size };
}

export class StoreFiles {
  readonly #paths: readonly string[];
  #known: readonly ChunkVerdict[] | undefined;

  constructor(path: string) {
    this.#paths = suffixes.map((suffix) => path + suffix);
  }

  /** Between two transactions only somebody else changes a file, or its size. */
  remember(): void {
    this.#known = this.#paths.map(statOf);
  }

  /** What is there next is another store. */
  forget(): void {
    this.#known = undefined;
  }

  /**
   * The name of the first file that is not the one remembered.
   * @param hasGrown after a transaction, which changes the sizes
   */
  lost(hasGrown = false): string | undefined {
    const path = this.#paths.find((one, index) => {
      if (!this.#known) return false;
      const [now, then] = [statOf(one), this.#known[index]];
      return now?.identity !== then?.identity || (!hasGrown && now?.bytes !== then?.bytes);
    });
    return path === undefined ? undefined : basename(path);
  }
}
