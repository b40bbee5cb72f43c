/**
 * Addresses and networks whose rows in the backup are out of date, because they were unbanned or banned for a shorter
 * time. One a line.
 */
import { closeSync, constants, fdatasyncSync, ftruncateSync, lstatSync, openSync, writeFileSync } from 'node:fs';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { isAbsent, readRegularSync } from '../../platform/regular-file.ts';
import { formatPrefix, readPrefix } from '../address/prefix.ts';
import { replaceFile } from './store-files.ts';

const appendFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK;
const mostBytes = daemonBounds.banLiftBytes;

function isCanonical(line: string): boolean {
  const prefix = readPrefix(line);
  return prefix !== undefined && formatPrefix(prefix) === line;
}

export class LiftJournal {
  readonly #path: string;
  /** The bytes of complete lines. Undefined before this process has used the file. */
  #bytes: number | undefined;
  /** The position that `mark` has set. */
  #marked = 0;

  constructor(path: string) {
    this.#path = path;
  }

  #text(): string {
    try {
      return readRegularSync(this.#path, mostBytes).toString();
    } catch (error) {
      if (isAbsent(error)) return '';
      throw error;
    }
  }

  /**
   * The complete lines: the end of the last one may be missing, and its unban was not acknowledged. Returns undefined
   * when the file is damaged or cannot be read.
   */
  read(): string[] | undefined {
    try {
      const lines = this.#text().split('\n').slice(0, -1);
      return lines.every(isCanonical) ? lines : undefined;
    } catch {
      return undefined;
    }
  }

  #replace(text: string): void {
    replaceFile(this.#path, text);
    this.#bytes = text.length;
  }

  /** Whether the file is the one that this process has written. */
  #isUsable(): boolean {
    if (this.#bytes === undefined) {
      const lines = this.read();
      if (!lines) return false;
      this.#replace(lines.map((line) => `${line}\n`).join('')); // without an incomplete line
    }
    const found = lstatSync(this.#path, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size >= (this.#bytes ?? 0);
  }

  /**
   * Appends addresses and waits for the disk. Returns false when the file was removed, replaced or damaged, or would be
   * too long. @throws when the disk is full
   */
  append(ips: readonly string[]): boolean {
    const text = ips.map((ip) => `${ip}\n`).join('');
    if (!this.#isUsable()) return false;
    const bytes = this.#bytes ?? 0;
    if (bytes + text.length > mostBytes) return false;
    const file = openSync(this.#path, appendFlags);
    try {
      ftruncateSync(file, bytes); // removes what a failed write has left
      writeFileSync(file, text);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#bytes = bytes + text.length;
    return true;
  }

  /** Marks the current end for `cut`. Returns false like `append`. */
  mark(): boolean {
    const isUsable = this.#isUsable();
    this.#marked = this.#bytes ?? 0;
    return isUsable;
  }

  /** Removes the lines before the mark. @throws when the file cannot be read or written */
  cut(): void {
    this.#replace(this.#text().slice(this.#marked, this.#bytes));
    this.#marked = 0;
  }

  clear(): void {
    this.#replace('');
    this.#marked = 0;
  }
}
