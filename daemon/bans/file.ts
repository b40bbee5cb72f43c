/** The ban store: a SQLite database that survives a kill and a power failure. */
import { dirname } from 'node:path';
import { type BackupOptions, backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../../platform/folder.ts';
import { createRegularSync } from '../../platform/regular-file.ts';
import type { Row } from './row.ts';
import type { StoreFiles } from './store-files.ts';

/** The version of the schema. A database of another version counts as damaged. */
const version = 1;
/** The version of a new store that does not have every ban yet. */
const unfinishedVersion = 2;

const schemaSql = `
  CREATE TABLE bans (
    ip TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    service TEXT,
    origin TEXT NOT NULL,
    banned_at INTEGER NOT NULL,
    expires_at INTEGER,
    level INTEGER NOT NULL,
    remembered_until INTEGER,
    evidence TEXT
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${unfinishedVersion};
`;

/** EXCLUSIVE: two daemons on one folder would overwrite each other's bans. FULL: after a commit, the data is on disk. */
const settingsSql = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA busy_timeout = 0;
`;

const putSql = 'INSERT OR REPLACE INTO bans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
const removeSql = 'DELETE FROM bans WHERE ip = ?';

/** Stores and backups of earlier versions do not have this column. */
const evidenceColumn = 'evidence';
const hasEvidence = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM pragma_table_info('bans') WHERE name = ?").get(evidenceColumn) !== undefined;

/** CAST: an integer beyond 2^53, which the daemon never writes, would end the iteration. */
const selectSql = (evidence: string) => `
  SELECT ip, reason, service, origin, CAST(banned_at AS REAL), CAST(expires_at AS REAL), CAST(level AS REAL),
    CAST(remembered_until AS REAL), ${evidence}
  FROM bans
`;

/** SQLite's result codes SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes = [11, 26];

export function isDamage(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number };
  return error instanceof DamageError || damageCodes.includes(errcode);
}

class DamageError extends Error {}

function refuseLostFile(lost: string | undefined): void {
  if (lost !== undefined) throw new DamageError(`${lost} was removed or replaced`);
}

/** A change of one address: the new row, or only the address when its row is deleted. */
export type Change = Row | string;

const pragma = (database: DatabaseSync, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];

function checkPages(database: DatabaseSync): void {
  if (pragma(database, 'quick_check') !== 'ok') throw new DamageError('it is damaged');
}

export function* rowsOf(database: DatabaseSync): Generator<readonly unknown[]> {
  const statement = database.prepare(selectSql(hasEvidence(database) ? evidenceColumn : 'NULL'));
  statement.setReturnArrays(true);
  yield* statement.iterate() as unknown as Iterable<readonly unknown[]>;
}

/** Opens a database that no process writes, without a lock. @throws when it cannot be opened */
export const openImmutable = (path: string): DatabaseSync =>
  new DatabaseSync(new URL(`${pathToFileURL(path)}?immutable=1`), { readOnly: true });

/** @throws when a copy of the store is damaged; see isDamage */
export function checkCopy(path: string): void {
  using copy = openImmutable(path);
  checkPages(copy);
}

export class BanFile {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #files: StoreFiles;
  #isWhole = false;

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

  /** False while the store is being filled. At a start it may then lack bans. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get bytes(): number {
    return Number(pragma(this.#database, 'page_count')) * Number(pragma(this.#database, 'page_size'));
  }

  #initialize(onStep: () => void): void {
    this.#database.exec(settingsSql);
    onStep();
    const found = pragma(this.#database, 'user_version');
    const isEmpty = this.#database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
    if (isEmpty) this.#transact(() => this.#database.exec(schemaSql));
    else if (found !== version && found !== unfinishedVersion)
      throw new DamageError(`its version is ${found}, not ${version}`);
    else this.check();
    if (!hasEvidence(this.#database)) this.#database.exec(`ALTER TABLE bans ADD COLUMN ${evidenceColumn} TEXT`);
    this.#isWhole = found === version && !isEmpty;
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

  /** Reads every page. @throws when one is damaged */
  check(): void {
    checkPages(this.#database);
  }

  rows(): Iterable<readonly unknown[]> {
    return rowsOf(this.#database);
  }

  /** Copies the store in the thread pool. Changes meanwhile are copied too. Do not close the store before the end. */
  async copyTo(path: string, options: BackupOptions): Promise<void> {
    await backup(this.#database, path, options);
  }

  /**
   * Applies all changes in a transaction. Without changes it only checks the files. `isWhole`: the store now has every
   * ban.
   * @throws also after the commit, when a file of the store was removed or replaced
   */
  apply(changes: readonly Change[], isWhole = false): void {
    refuseLostFile(this.#files.lostFile());
    const finishes = isWhole && !this.#isWhole;
    if (changes.length === 0 && !finishes) return;
    this.#transact(() => {
      if (finishes) this.#database.exec(`PRAGMA user_version = ${version}`);
      for (const change of changes) {
        if (typeof change === 'string') this.#remove.run(change);
        else this.#put.run(...change);
      }
    });
    this.#isWhole ||= isWhole;
    refuseLostFile(this.#files.lostFile(true));
    this.#files.remember();
  }

  close(): void {
    const isOurs = this.#files.lostFile(true) === undefined;
    this.#database.close();
    if (isOurs) this.#files.remember();
  }
}
