/**
 * Follows a file across restarts and rotation by renaming. A truncation loses the lines that were written between the
 * last poll and the truncation.
 */
import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { isAbsent } from '../../platform/regular-file.ts';
import type { LineOptions } from './lines.ts';
import { OpenedFile } from './opened.ts';
import type { Position, Positions } from './positions.ts';

export interface FollowedOptions extends LineOptions {
  readonly path: string;
  readonly positions: Positions;
  /** Whether lines that were added since the previous run count. */
  readonly resumes: boolean;
  readonly now: () => number;
  /** Whether the content that exists now is new, such as that of a container that was just made. */
  readonly isNew?: boolean;
}

const statOf = (path: string): Promise<Pick<Stats, 'ino' | 'size'> | undefined> =>
  stat(path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });

/** Finds a renamed file by its inode. Returns its path. */
async function findInode(folder: string, inode: number): Promise<string | undefined> {
  const names = (await readdir(folder)).slice(0, daemonBounds.intakeFolderFiles);
  for (const name of names) {
    const path = join(folder, name);
    if ((await statOf(path).catch(() => undefined))?.ino === inode) return path;
  }
  return undefined;
}

/** Closes the file when the work fails: Node throws when it collects an open handle. */
async function orClose<Result>(file: OpenedFile, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export class FollowedFile {
  readonly #options: FollowedOptions;
  #current: OpenedFile | undefined;
  /** Renamed files. They are read until the time `until`, because the gateway may still write to them. */
  #renamedFiles: { readonly file: OpenedFile; readonly until: number }[] = [];
  /** True until a poll has opened the file or found none. Content that exists then is older than the intake. */
  #isFirst: boolean;
  /** When a poll first found no file at the path. Undefined when there was one. */
  #absentSince: number | undefined;
  /** The inode and the offset that were stored last. */
  #remembered = '';

  constructor(options: FollowedOptions) {
    this.#options = options;
    this.#isFirst = options.isNew !== true;
  }

  /** Whether the last poll found no file at the path. */
  get isAbsent(): boolean {
    return this.#absentSince !== undefined;
  }

  /** Whether no file was at the path for so long that nothing writes to the one that was there. */
  get isGone(): boolean {
    return this.#absentSince !== undefined && this.#options.now() - this.#absentSince >= daemonBounds.intakeRenamedMs;
  }

  /** See `Followed`. */
  readonly paths = (): readonly string[] | undefined =>
    this.isAbsent || this.#renamedFiles.length > 0 ? undefined : [this.#options.path];

  /** Bytes that the last poll left unread. */
  get unread(): number {
    return this.#current?.unread ?? 0;
  }

  /** Reads the added lines. Rejects when the file cannot be read; the renamed ones are read nevertheless. */
  async poll(signal: AbortSignal): Promise<void> {
    let size: number | undefined;
    try {
      size = await this.#followPath();
    } finally {
      for (const { file } of this.#renamedFiles) await file.drain(signal);
      await this.#closeOld();
    }
    await this.#current?.drain(signal, size);
    this.#remember();
  }

  /** Returns the size of the current file where it is known: most polls need no other call than this one. */
  async #followPath(): Promise<number | undefined> {
    const found = await statOf(this.#options.path);
    const inode = found?.ino;
    this.#absentSince = inode === undefined ? (this.#absentSince ?? this.#options.now()) : undefined;
    if (this.#current && inode !== undefined && inode !== this.#current.inode) this.#leaveCurrent();
    if (!this.#current && inode !== undefined) this.#current = await this.#open();
    else if (this.#isFirst) await this.#openRenamed();
    this.#isFirst = false;
    return this.#current?.inode === inode ? found?.size : undefined;
  }

  #leaveCurrent(): void {
    if (this.#current)
      this.#renamedFiles.push({ file: this.#current, until: this.#options.now() + daemonBounds.intakeRenamedMs });
    this.#current = undefined;
  }

  async #open(): Promise<OpenedFile> {
    const { path, positions } = this.#options;
    const file = await OpenedFile.open(path, this.#options);
    const position = this.#isFirst && this.#options.resumes ? positions.get(path) : undefined;
    if (position && !(await orClose(file, file.resume(position)))) await this.#openRenamed();
    if (!position && this.#isFirst) await orClose(file, file.skipToEnd());
    return file;
  }

  /** Opens a file of the previous run that was renamed since. Its new lines count too. */
  async #openRenamed(): Promise<void> {
    const position = this.#options.positions.get(this.#options.path);
    if (!position || !this.#options.resumes) return;
    // A failure must not stop the poll of the current file.
    const file = await this.#findRenamed(position).catch(() => undefined);
    if (file) this.#renamedFiles.push({ file, until: this.#options.now() + daemonBounds.intakeRenamedMs });
  }

  async #findRenamed(position: Position): Promise<OpenedFile | undefined> {
    const { path } = this.#options;
    const renamed = await findInode(dirname(path), position.inode);
    if (renamed === undefined) return undefined;
    const file = await OpenedFile.open(renamed, this.#options);
    if (await orClose(file, file.resume(position))) return file;
    await file.close();
    return undefined;
  }

  async #closeOld(): Promise<void> {
    const now = this.#options.now();
    const newest = this.#renamedFiles.slice(-daemonBounds.intakeRenamedFiles);
    const kept = newest.filter(({ until }) => until > now);
    const over = this.#renamedFiles.filter((renamed) => !kept.includes(renamed));
    this.#renamedFiles = kept;
    for (const { file } of over) await file.close();
  }

  #remember(): void {
    if (!this.#current) return;
    const { inode, offset } = this.#current;
    if (this.#remembered === `${inode} ${offset}`) return;
    this.#remembered = `${inode} ${offset}`;
    this.#options.positions.set(this.#options.path, this.#current.position);
  }

  /**
   * Reads the renamed files to their ends, because the next run continues only the current file. Then closes all files.
   */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(daemonBounds.intakeLastMs);
    for (const { file } of this.#renamedFiles) await file.drain(signal).catch(() => undefined);
    await this.#current?.close();
    for (const { file } of this.#renamedFiles) await file.close();
  }
}
