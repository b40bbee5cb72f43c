/** A copy of the ban store. A start loads it when the store is damaged. */
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { isAbsent, readRegularSync } from '../../platform/regular-file.ts';
import { type BanFile, checkCopy, isDamage, openImmutable, rowsOf } from './file.ts';
import { flush } from './store-files.ts';

const { banBackupMs, banBackupPages, banBackupRetryMs, banBackupLastMs, banLiftBytes } = daemonBounds;
const appendFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/**
 * The addresses whose rows in the copy are out of date. Returns undefined when the file is damaged: lifted bans would be
 * in force again.
 */
function readLifts(path: string): ReadonlySet<unknown> | undefined {
  try {
    const text = readRegularSync(path, banLiftBytes).toString();
    return /^[\da-f.:/\n]*$/.test(text) ? new Set(text.split('\n')) : undefined; // a line that was cut is harmless
  } catch (error) {
    return isAbsent(error) ? new Set() : undefined;
  }
}

export class BanBackup {
  readonly #path: string;
  readonly #unfinishedPath: string;
  /** The addresses that were unbanned, or banned for a shorter time, since the last copy. One a line. */
  readonly #liftsPath: string;
  readonly #onStep: () => void;
  #running: Promise<void> | undefined;
  #hasChanged = true;
  /** The times of the monotonic clock, when the next copy may begin and when the current one is abandoned. */
  #dueAt = 0;
  #endBy = Number.POSITIVE_INFINITY;
  #problem: string | undefined;
  #isStoreSuspect = false;
  #hasLifted = false;

  /** `onStep`: called after each step of a copy that waits for the disk. */
  constructor(store: string, onStep: () => void) {
    this.#path = `${store}.backup`;
    this.#unfinishedPath = `${this.#path}.new`;
    this.#liftsPath = `${store}.lifts`;
    this.#onStep = onStep;
    const made = this.madeAt;
    if (made === undefined) return;
    const age = Math.max(0, Date.now() - made);
    this.#dueAt = performance.now() + Math.max(0, banBackupMs - age);
  }

  /** When the last copy was made, milliseconds since the epoch. Undefined when there is none. */
  get madeAt(): number | undefined {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    return found?.isFile() ? found.mtimeMs : undefined;
  }

  /** Why there is no newer copy. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Sends the rows of the last copy that were not lifted since. Returns a sentence about them.
   * @param send returns the number of rows
   */
  restore(send: (rows: Iterable<readonly unknown[]>) => number): string {
    const made = this.madeAt;
    if (made === undefined) return 'there is no backup, so its bans are lost';
    const lifted = readLifts(this.#liftsPath);
    if (!lifted) return 'the list of lifted bans is damaged, so the backup was not loaded and its bans are lost';
    const read = { end: 'bans since then are lost' };
    const sent = send(this.#rowsWithout(lifted, read));
    return `${sent} rows were restored from the backup of ${new Date(made).toISOString()}; ${read.end}`;
  }

  *#rowsWithout(lifted: ReadonlySet<unknown>, read: { end: string }): Generator<readonly unknown[]> {
    try {
      using copy = openImmutable(this.#path);
      for (const row of rowsOf(copy)) if (!lifted.has(row[0])) yield row;
    } catch (error) {
      read.end = `its other bans are lost: ${(error as Error).message}`;
    }
  }

  /** Records addresses whose rows in the copy are out of date. Call it before they change in the store. */
  recordLifts(ips: readonly string[]): void {
    if (ips.length === 0) return;
    const found = lstatSync(this.#liftsPath, { throwIfNoEntry: false });
    if (found && (!found.isFile() || found.size > banLiftBytes / 2)) this.#discard();
    const file = openSync(this.#liftsPath, appendFlags, 0o600);
    try {
      writeFileSync(file, `\n${ips.join('\n')}\n`, { flush: true }); // begins with the end of an incomplete line
      if (!found) flush(dirname(this.#liftsPath));
    } finally {
      closeSync(file);
    }
    this.#hasLifted = true;
  }

  /** Removes the copy, because the list of lifts is too long or is not a file. */
  #discard(): void {
    rmSync(this.#path, { force: true });
    flush(dirname(this.#path));
    rmSync(this.#liftsPath, { force: true });
    this.#hasChanged = true;
    this.#dueAt = 0;
  }

  noteChange(): void {
    this.#hasChanged = true;
  }

  /** Checks the store after a copy was damaged. @throws when the store is damaged; see isDamage */
  checkSuspect(file: BanFile): void {
    if (!this.#isStoreSuspect) return;
    file.check();
    this.#isStoreSuspect = false;
  }

  /** Begins a copy when one is due. Resolves after its first step: until then, the store must not be written. */
  async startIfDue(file: BanFile | undefined): Promise<void> {
    if (this.#running || !file?.isWhole || !this.#hasChanged || performance.now() < this.#dueAt) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running = this.#make(file, resolve).finally(() => {
      this.#running = undefined;
      resolve();
    });
    await promise;
  }

  /** Makes the last copy of this process, in at most `banBackupLastMs`. */
  async finish(file: BanFile | undefined): Promise<void> {
    this.#endBy = performance.now() + banBackupLastMs;
    await this.#running;
    this.#dueAt = 0;
    await this.startIfDue(file);
    await this.#running;
  }

  /** Abandons a copy that is being made, because its store is to be closed. */
  async abandon(): Promise<void> {
    this.#endBy = 0;
    await this.#running;
    this.#endBy = Number.POSITIVE_INFINITY;
  }

  async #make(file: BanFile, onFirstStep: () => void): Promise<void> {
    this.#hasChanged = false;
    this.#hasLifted = false;
    this.#dueAt = performance.now() + banBackupMs;
    try {
      this.#create(file.bytes);
      const progress = () => {
        onFirstStep();
        if (performance.now() > this.#endBy) throw new Error('the disk is too slow');
        flush(this.#unfinishedPath); // otherwise the last step would wait for the whole file
        this.#onStep();
      };
      await file.copyTo(this.#unfinishedPath, { rate: banBackupPages, progress });
      checkCopy(this.#unfinishedPath);
      flush(this.#unfinishedPath);
      renameSync(this.#unfinishedPath, this.#path);
      flush(dirname(this.#path));
      if (!this.#hasLifted) rmSync(this.#liftsPath, { force: true }); // otherwise the next copy removes it
      this.#problem = undefined;
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** Creates the file of a copy. @throws when the disk has no space for it and as much again */
  #create(bytes: number): void {
    for (const suffix of ['', '-journal', '-wal']) rmSync(this.#unfinishedPath + suffix, { force: true });
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    if (bavail * bsize < bytes * 2) throw new Error(`the disk has less than ${bytes * 2} free bytes`);
    closeSync(openSync(this.#unfinishedPath, 'wx', 0o600));
  }

  #fail(error: Error): void {
    this.#hasChanged = true;
    this.#dueAt = performance.now() + banBackupRetryMs;
    this.#problem = error.message;
    this.#isStoreSuspect ||= isDamage(error);
    try {
      rmSync(this.#unfinishedPath, { force: true });
    } catch {
      // the next copy reports what is in its place
    }
  }
}
