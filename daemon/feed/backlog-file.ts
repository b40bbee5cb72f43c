/** The unsent changes on disk. The file has a line for each change, and lines for changes that were sent or dropped. */
import { type FileHandle, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { isAbsent, openNew, readRegularSync } from '../../platform/regular-file.ts';
import { formatPrefix, readPrefix } from '../address/prefix.ts';
import { StoredFile } from '../audit/stored-file.ts';
import type { Ban } from '../bans/ban.ts';
import { isDateMs } from '../time/date.ts';

export interface Change {
  readonly kind: 'banned' | 'lifted';
  readonly ban: Ban;
  /** Set when the LAPI must first delete an earlier decision on the address, which may last longer. */
  readonly replaces?: true;
}

export const deletesDecision = ({ kind, replaces }: Change): boolean => kind === 'lifted' || replaces === true;

/** A line of the file: a change, or the addresses whose changes are no longer pending. */
type Entry = Change | { readonly settled: readonly string[] };

const fileName = 'push.jsonl';

const textOf = (entry: Entry): string => `${JSON.stringify(entry)}\n`;

const isText = (value: unknown): value is string => typeof value === 'string';

/** @throws when this program did not write the line */
function readEntry(line: string): Entry {
  const entry = JSON.parse(line) as Partial<Change> & { settled?: unknown };
  if (Array.isArray(entry.settled) && entry.settled.every(isText)) return { settled: entry.settled };
  const { kind, ban } = entry;
  const prefix = isText(ban?.ip) ? readPrefix(ban.ip) : undefined;
  const isBan = prefix && isText(ban?.reason) && isText(ban.origin) && isDateMs(ban.bannedAt);
  if (!isBan || (ban.expiresAt !== null && !isDateMs(ban.expiresAt))) throw new Error('the line is damaged');
  if (kind !== 'banned' && kind !== 'lifted') throw new Error('the line is damaged');
  return {
    kind,
    ban: { ...ban, ip: formatPrefix(prefix), service: isText(ban.service) ? ban.service : null },
    ...(entry.replaces === true && { replaces: true }),
  };
}

function replayEntry(pending: Map<string, Change>, entry: Entry): void {
  const settled = 'settled' in entry ? entry.settled : [entry.ban.ip];
  for (const ip of settled) pending.delete(ip);
  if ('kind' in entry) pending.set(entry.ban.ip, entry);
}

function readText(path: string): string {
  try {
    return readRegularSync(path, Number.POSITIVE_INFINITY).toString();
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}

/** @throws when the file exists but cannot be read */
export function readBacklog(dataDir: string) {
  const pending = new Map<string, Change>();
  let damaged = 0;
  for (const line of readText(join(dataDir, fileName)).split('\n')) {
    if (line === '') continue;
    try {
      replayEntry(pending, readEntry(line));
    } catch {
      damaged++;
    }
  }
  return { changes: [...pending.values()], damaged };
}

/**
 * Writes in the background, because a disk can block. Writes are not flushed: they survive the end of this process, not
 * a crash of the machine.
 */
export class BacklogFile {
  readonly #path: string;
  /** All pending changes. A new file starts with them. */
  readonly #everything: () => Iterable<Change>;
  readonly #stored: StoredFile;
  #file: FileHandle | undefined;
  #bytes = 0;
  #mostBytes = 0;
  #waitingLines: string[] = [];
  #waitingBytes = 0;
  /**
   * Whether the next write makes a new file with all pending changes: there is none yet, the last write failed, or the
   * file is too long.
   */
  #isNew = true;

  constructor(options: {
    readonly dataDir: string;
    readonly everything: () => Iterable<Change>;
    readonly log: (message: string) => void;
  }) {
    this.#path = join(options.dataDir, fileName);
    this.#everything = options.everything;
    const { log } = options;
    const problem = 'threat feed: cannot store unsent bans on disk';
    this.#stored = new StoredFile({ write: () => this.#write(), problem, log });
  }

  readonly problems = (): readonly string[] => this.#stored.problems();

  /** Requests a new file with all pending changes. */
  rewrite(): void {
    this.#drop();
    this.#stored.save();
  }

  /** Queues an entry. `everything` must already reflect it. */
  write(entry: Entry): void {
    if (!this.#isNew) this.#add(textOf(entry));
    this.#stored.save();
  }

  #add(text: string): void {
    this.#waitingLines.push(text);
    this.#waitingBytes += Buffer.byteLength(text);
    if (this.#bytes + this.#waitingBytes > this.#mostBytes) this.#drop();
  }

  #drop(): void {
    this.#isNew = true;
    this.#waitingLines = [];
    this.#waitingBytes = 0;
  }

  async #write(): Promise<void> {
    try {
      if (this.#isNew) await this.#begin();
      else await this.#append();
    } catch (error) {
      this.#drop();
      await this.#leave();
      throw error;
    }
  }

  async #append(): Promise<void> {
    const text = this.#waitingLines.join('');
    this.#bytes += this.#waitingBytes;
    this.#waitingLines = [];
    this.#waitingBytes = 0;
    await this.#file?.writeFile(text);
  }

  async #begin(): Promise<void> {
    const unfinished = `${this.#path}.new`;
    const file = await openNew(unfinished);
    await this.#leave();
    this.#file = file;
    const text = [...this.#everything()].map(textOf).join('');
    this.#isNew = false; // changes from here on are not in the text, so `write` queues them
    this.#bytes = Buffer.byteLength(text);
    this.#mostBytes = this.#bytes * 2 + daemonBounds.pushFileBytes;
    await file.writeFile(text);
    await rename(unfinished, this.#path);
  }

  async #leave(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => {});
  }

  /** Resolves with whether the entries are in the file: false when the disk refused them or does not respond in time. */
  untilStored(): Promise<boolean> {
    return this.#stored.untilSaved();
  }

  /**
   * Resolves after a last attempt to write what the disk refused. The next write makes a new file: the caller stops
   * the writes in the same turn.
   */
  async close(): Promise<void> {
    await this.#stored.close();
    this.#drop();
    void this.#leave();
  }
}
