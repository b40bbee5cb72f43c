/** The unsent changes on disk. The file has a line for each change, and lines for changes that were sent or dropped. */
import { type FileHandle, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { isAbsent, openNew, readRegularSync } from '../../platform/regular-file.ts';
import { formatPrefix, readPrefix } from '../address/prefix.ts';
import type { Ban } from '../bans/ban.ts';
import { after, inTime } from '../time/timer.ts';

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
const isTime = (value: unknown): value is number => Number.isFinite(value);

/** @throws when this program did not write the line */
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
 * Writes in the background, one step at a time, because a disk can block. Writes are not flushed: they survive the end
 * of this process, not a crash of the machine.
 */
export class BacklogFile {
  readonly #path: string;
  /** All pending changes. A new file starts with them. */
  readonly #everything: () => Iterable<Change>;
  /** Called with the problem, or with an empty text when the problem is solved. */
  readonly #complain: (problem: string) => void;
  #file: FileHandle | undefined;
  #bytes = 0;
  #mostBytes = 0;
  #waitingLines: string[] = [];
  #waitingBytes = 0;
  /**
   * Whether the next step writes all pending changes to a new file: this process has not written one yet, the last
   * write failed, or the file is too long.
   */
  #isBehind = true;
  /** Cancels the next attempt after a failure. Until then, no step begins. */
  #cancelRetry: (() => void) | undefined;
  /** The step that was requested last. `#isDue` is true until this step begins. */
  #last: Promise<void> = Promise.resolve();
  #isDue = false;

  constructor(options: {
    readonly dataDir: string;
    readonly everything: () => Iterable<Change>;
    readonly complain: (problem: string) => void;
  }) {
    this.#path = join(options.dataDir, fileName);
    this.#everything = options.everything;
    this.#complain = options.complain;
  }

  /** Queues an entry. `everything` must already reflect it. */
  write(entry: Entry): void {
    if (!this.#isBehind) this.#add(textOf(entry));
    if (this.#isDue) return;
    this.#isDue = true;
    this.#last = this.#last.then(() => this.#step());
  }

  /** Writes a file that is behind without waiting for the next attempt. */
  writeAgain(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    if (this.#isBehind) this.write({ settled: [] });
  }

  #add(text: string): void {
    this.#waitingLines.push(text);
    this.#waitingBytes += Buffer.byteLength(text);
    if (this.#bytes + this.#waitingBytes > this.#mostBytes) this.#drop();
  }

  #drop(): void {
    this.#isBehind = true;
    this.#waitingLines = [];
    this.#waitingBytes = 0;
  }

  async #step(): Promise<void> {
    this.#isDue = false;
    if (this.#cancelRetry) return;
    try {
      if (this.#isBehind) await this.#begin();
      else await this.#append();
      this.#complain('');
    } catch (error) {
      this.#drop();
      this.#cancelRetry = after(daemonBounds.pushFileRetryMs, () => this.writeAgain());
      this.#complain((error as NodeJS.ErrnoException).code ?? 'unknown');
      await this.#leave();
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
    this.#isBehind = false; // changes from here on are not in the text, so `write` queues them
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

  /** Resolves when the entries are written, the disk refused them, or the disk does not respond in time. */
  untilStored(): Promise<void> {
    return inTime(this.#last, daemonBounds.feedDiskMs, () => this.#complain('the disk does not respond'));
  }

  /** Closes the file after the steps that were already requested. */
  close(): void {
    this.#last = this.#last.then(() => {
      this.#cancelRetry?.();
      return this.#leave();
    });
  }
}
