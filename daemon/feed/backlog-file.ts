/** The unsent changes on disk: a line for each change, and one for each that was sent. */
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { formatPrefix, readPrefix } from '../address/prefix.ts';
import type { Ban } from '../bans/ban.ts';
import { hasPassed } from '../time/clock.ts';

export interface Change {
  readonly kind: 'banned' | 'lifted';
  readonly ban: Ban;
  /** An earlier decision on the address, which can last longer, has to be deleted before the ban is sent. */
  readonly replaces?: true;
}

/** Whether sending a change deletes a decision. */
export const deletes = ({ kind, replaces }: Change): boolean => kind === 'lifted' || replaces === true;

/** A line: a change, or addresses without pending changes. */
type Entry = Change | { readonly settled: readonly string[] };

const fileName = 'push.jsonl';

const textOf = (entry: Entry): string => `${JSON.stringify(entry)}\n`;

const isText = (value: unknown): value is string => typeof value === 'string';
const isTime = (value: unknown): value is number => Number.isFinite(value);

/** Throws for a line that this program did not write. */
function readEntry(line: string): Entry {
  const entry = JSON.parse(line) as Partial<Change> & { settled?: unknown };
  if (Array.isArray(entry.settled) && entry.settled.every(isText)) return { settled: entry.settled };
  const { kind, ban } = entry;
  const prefix = isText(ban?.ip) ? readPrefix(ban.ip) : undefined;
  const isBan = prefix && isText(ban?.reason) && isText(ban.origin) && isTime(ban.bannedAt);
  if (!isBan || (ban.expiresAt !== null && !isTime(ban.expiresAt))) throw new Error('the line is damaged');
  if (kind !== 'banned' && kind !== 'lifted') throw new Error('the line is damaged');
  return {
    kind,
    ban: { ...ban, ip: formatPrefix(prefix), service: isText(ban.service) ? ban.service : null },
    ...(entry.replaces === true && { replaces: true }),
  };
}

function replay(pending: Map<string, Change>, entry: Entry): void {
  const settled = 'settled' in entry ? entry.settled : [entry.ban.ip];
  for (const ip of settled) pending.delete(ip);
  if ('kind' in entry) pending.set(entry.ban.ip, entry);
}

export interface LastRun {
  /** Oldest first. */
  readonly changes: readonly Change[];
  /** The number of lines that cannot be read. */
  readonly damaged: number;
}

const isAbsent = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}

/** The changes that the previous run did not send. Throws when the file exists and cannot be read. */
export function readBacklog(dataDir: string): LastRun {
  const pending = new Map<string, Change>();
  let damaged = 0;
  for (const line of readText(join(dataDir, fileName)).split('\n')) {
    if (line === '') continue;
    try {
      replay(pending, readEntry(line));
    } catch {
      damaged++;
    }
  }
  return { changes: [...pending.values()], damaged };
}

/**
 * Writes synchronously before a ban is acknowledged: what the system has accepted survives the end of this process. It
 * does not wait for a flush to disk.
 */
export class BacklogFile {
  readonly #path: string;
  readonly #now: () => number;
  /** All pending changes, for a new file. */
  readonly #everything: () => Iterable<Change>;
  /** Called with the problem of the file. Empty: none. */
  readonly #complain: (problem: string) => void;
  #file: number | undefined;
  #bytes = 0;
  #mostBytes = 0;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly dataDir: string;
    readonly now: () => number;
    readonly everything: () => Iterable<Change>;
    readonly complain: (problem: string) => void;
  }) {
    this.#path = join(options.dataDir, fileName);
    this.#now = options.now;
    this.#everything = options.everything;
    this.#complain = options.complain;
  }

  /** Adds the entry, or rewrites the file when it has grown too long or the last write failed. */
  write(entry: Entry): void {
    const isEarly = !hasPassed(daemonBounds.pushFileRetryMs, this.#failedAt, this.#now());
    if (this.#file === undefined && isEarly) return;
    try {
      if (this.#file === undefined || this.#bytes > this.#mostBytes) this.#begin();
      else this.#append(this.#file, textOf(entry));
      this.#complain('');
    } catch (error) {
      this.close();
      this.#failedAt = this.#now();
      this.#complain((error as NodeJS.ErrnoException).code ?? 'unknown');
    }
  }

  #append(file: number, text: string): void {
    writeFileSync(file, text);
    this.#bytes += Buffer.byteLength(text);
  }

  #begin(): void {
    const unfinished = `${this.#path}.new`;
    rmSync(unfinished, { force: true });
    const file = openSync(unfinished, 'a', 0o600);
    this.close();
    this.#file = file;
    this.#bytes = 0;
    this.#append(file, [...this.#everything()].map(textOf).join(''));
    renameSync(unfinished, this.#path);
    this.#mostBytes = this.#bytes * 2 + daemonBounds.pushFileBytes;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
