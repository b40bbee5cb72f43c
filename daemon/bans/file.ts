/** The ban store: a SQLite database that survives a kill and a power failure. */
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { makeFolder } from '../../platform/folder.ts';
import { createRegularSync } from '../../platform/regular-file.ts';
import type { Row } from './row.ts';
import type { StoreFiles } from './store-files.ts';

/** The version of the schema. A database of another version counts as damaged. */
const version = 1;

const schemaSql = `
  CREATE TABLE bans (
    ip TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    service TEXT,
    origin TEXT NOT NULL,
    banned_at INTEGER NOT NULL,
    expires_at INTEGER,
    level INTEGER NOT NULL,
    remembered_until INTEGER
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${version};
`;

/**
 * EXCLUSIVE: two daemons on one folder would overwrite each other's bans. FULL: after a commit, the data is on disk.
 * secure_delete: the recovery of a damaged store must not find lifted bans.
 */
const settingsSql = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA busy_timeout = 0;
  PRAGMA secure_delete = ON;
`;

const putSql = 'INSERT OR REPLACE INTO bans VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
const removeSql = 'DELETE FROM bans WHERE ip = ?';
const selectSql = 'SELECT * FROM bans';

/** SQLite's result codes SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes = [11, 26];

/** Node's error code for an integer beyond 2^53, which the daemon never writes. */
const foreignNumber = 'ERR_OUT_OF_RANGE';

export function isDamage(error: unknown): boolean {
  const { errcode = 0, code } = error as { errcode?: number; code?: string };
  return error instanceof DamageError || damageCodes.includes(errcode) || code === foreignNumber;
}

class DamageError extends Error {}

function refuseLostFile(lost: string | undefined): void {
  if (lost !== undefined) throw new DamageError(`${lost} was removed or replaced`);
}

/** A change of one address: the new row, or only the address when its row is deleted. */
export type Change = Row | string;

export class BanFile {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #files: StoreFiles;

  /**
   * @param onStep called after each step that waits for the disk: a new file takes seven flushes
   * @throws when the file cannot be opened; see isDamage
   */
  constructor(path: string, files: StoreFiles, onStep = () => {}) {
    this.#files = files;
    const lost = files.lostFile();
    makeFolder(dirname(path), 0o700);
    createRegularSync(path); // mode 0600: addresses are personal data. SQLite's other files get the same mode
    this.#database = new DatabaseSync(path);
    try {
      this.#initialize(onStep);
      refuseLostFile(lost); // after the lock is taken: another daemon's store stays untouched
      this.#put = this.#database.prepare(putSql);
      this.#remove = this.#database.prepare(removeSql);
      files.remember();
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  #pragma(name: string): unknown {
    return Object.values(this.#database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  }

  #initialize(onStep: () => void): void {
    this.#database.exec(settingsSql);
    onStep();
    const found = this.#pragma('user_version');
    const isEmpty = this.#database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
    if (isEmpty) this.#transact(() => this.#database.exec(schemaSql));
    else if (found !== version) throw new DamageError(`its version is ${found}, not ${version}`);
    else if (this.#pragma('quick_check') !== 'ok') throw new DamageError('it is damaged');
    onStep();
  }

  #transact(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  rows(): Iterable<readonly unknown[]> {
    const statement = this.#database.prepare(selectSql);
    statement.setReturnArrays(true);
    return statement.iterate() as unknown as Iterable<readonly unknown[]>;
  }

  /**
   * Applies all changes in a transaction. Without changes it only checks the files.
   * @throws also after the commit, when a file of the store was removed or replaced
   */
  apply(changes: readonly Change[]): void {
    refuseLostFile(this.#files.lostFile());
    if (changes.length === 0) return;
    this.#transact(() => {
      for (const change of changes) {
        if (typeof change === 'string') this.#remove.run(change);
        else this.#put.run(...change);
      }
    });
    refuseLostFile(this.#files.lostFile(true));
    this.#files.remember();
  }

  close(): void {
    const isOurs = this.#files.lostFile(true) === undefined;
    this.#database.close();
    if (isOurs) this.#files.remember();
  }
}
