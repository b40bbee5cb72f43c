/** One list: reads it after each interval, and keeps its content when a new one fails. */
import { createHash } from 'node:crypto';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { type ListSource, listName, listPresets, listTitle } from '../../contract/daemon/lists.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { readReason, readRegular } from '../../platform/regular-file.ts';
import { type Complain, createComplainer } from '../audit/complainer.ts';
import { StoredFile } from '../audit/stored-file.ts';
import { ownAddresses } from '../process/limits.ts';
import type { InTurn } from '../time/in-turn.ts';
import { jittered, pause } from '../time/pause.ts';
import {
  type Content,
  type ContentOptions,
  type Counts,
  contentOf,
  contentProblem,
  keptContent,
  noCounts,
} from './content.ts';
import { type Copy, readCopy, writeCopy } from './copy.ts';
import { type Downloaded, download } from './download.ts';
import type { ListTable } from './table.ts';

export interface FollowedOptions {
  readonly table: ListTable;
  readonly dataDir: string;
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal;
  /** Reads some lists at a time, so that a server that does not respond delays no other list. */
  readonly reading: InTurn;
  /** Evaluates one list at a time: a text takes several times `listBytes` until its entries are known. */
  readonly evaluating: InTurn;
}

export interface ListState extends Counts {
  readonly name: string;
  readonly action: 'ban' | 'detect';
  readonly entries: number;
  /** When the content in force was read, milliseconds since the epoch. Null: there is none. */
  readonly readAt: number | null;
  /** Connections of its addresses, with `action: detect`. */
  readonly detected: number;
  readonly problem: string | null;
}

/** What is known of the content in force. The table has its entries. */
type Known = Omit<Copy, 'entries'>;

interface Read {
  readonly texts: readonly string[];
  readonly etags: readonly (string | undefined)[];
}

/** What was read last. A new process has none: this host, its presets and the bounds can be others. */
interface Last extends Pick<Read, 'etags'> {
  readonly hash: string;
}

const hashOf = (texts: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length} `).update(text);
  return hash.digest('hex');
};

export class FollowedList {
  readonly name: string;
  readonly #title: string;
  detected = 0;
  readonly #source: ListSource;
  readonly #options: FollowedOptions;
  readonly #complain: Complain;
  /** Empty: all entries are in force. */
  #beyondText = '';
  readonly #file: StoredFile;
  /** Undefined: there is no content. */
  #known: Known | undefined;
  /** Undefined: what is read next is evaluated, also when it did not change. */
  #last: Last | undefined;

  constructor(source: ListSource, options: FollowedOptions) {
    this.name = listName(source);
    this.#title = `list ${listTitle(source)}`;
    this.#source = source;
    this.#options = options;
    this.#complain = createComplainer(options.log);
    const { dataDir, log } = options;
    const write = async () =>
      this.#known && writeCopy(dataDir, this.name, { ...this.#known, entries: [...this.#entries] });
    this.#file = new StoredFile({ write, problem: `${this.#title}: cannot be kept on disk`, log });
  }

  get isDetecting(): boolean {
    return this.#source.action === 'detect';
  }

  get #entries(): ReadonlySet<string> {
    return this.#options.table.entries(this.name);
  }

  get #urls(): readonly string[] {
    const { preset, url } = this.#source;
    return preset ? listPresets[preset].urls : url === undefined ? [] : [url];
  }

  state(): ListState {
    const { unread, ownNetworks, tooWide, edges } = this.#known ?? noCounts;
    const [problem = null] = this.problems();
    const { name, detected } = this;
    const counts = { unread, ownNetworks, tooWide, edges };
    const entries = this.#known ? this.#entries.size : 0;
    return {
      name,
      action: this.#source.action,
      entries,
      ...counts,
      readAt: this.#known?.readAt ?? null,
      detected,
      problem,
    };
  }

  problems(): readonly string[] {
    return [...this.#complain.problems(), ...this.#file.problems()];
  }

  /** Puts the content of the previous run into force. */
  async restore(): Promise<void> {
    const copy = await readCopy(this.#options.dataDir, this.name);
    if (copy?.column !== (this.#source.column ?? null)) return;
    const { entries, ...known } = copy;
    this.#last = undefined;
    await this.#enforce(known, await keptContent(entries, known, this.#contentOptions()));
  }

  /** Reads the list until the signal is aborted. */
  async follow(): Promise<void> {
    const { signal } = this.#options;
    const intervalMs = parseDuration(this.#source.interval) as number;
    let repeatAt = this.#options.now() + daemonBounds.listHoldMs / 2;
    while (!signal.aborted) {
      const failed = !(await this.#options.reading(() => this.#readOnce()));
      await pause(jittered(failed ? Math.min(intervalMs, daemonBounds.listRetryMs) : intervalMs, 0.9), signal);
      if (signal.aborted || this.#options.now() < repeatAt) continue;
      repeatAt = this.#options.now() + daemonBounds.listHoldMs / 2;
      await this.#options.table.repeat(this.name);
    }
    await this.#file.close();
  }

  /** Returns whether the list could be read. */
  async #readOnce(): Promise<boolean> {
    if (this.#options.signal.aborted) return false;
    try {
      await this.#readNew();
      return true;
    } catch (error) {
      if (this.#options.signal.aborted) return false;
      const stays = this.#known ? `; the ${this.#entries.size} entries of before stay` : '';
      this.#complain(`${this.#title}: ${readReason(error)}${stays}`);
      return false;
    }
  }

  /** @throws Error that says why what was read does not replace the content in force */
  async #readNew(): Promise<void> {
    const readAt = this.#options.now();
    const read = await this.#read();
    if (!read) return void this.#complain(this.#beyondText);
    await this.#options.evaluating(() => this.#evaluate(read, readAt));
  }

  /** @throws Error that says why what was read does not replace the content in force */
  async #evaluate(read: Read, readAt: number): Promise<void> {
    this.#options.signal.throwIfAborted();
    const last = { hash: hashOf(read.texts), etags: read.etags };
    if (last.hash === this.#last?.hash) {
      this.#last = last;
      return void this.#complain(this.#beyondText);
    }
    const content = await contentOf(read.texts, this.#contentOptions());
    const problem = contentProblem(content, this.#known ? this.#entries : new Set());
    if (problem !== undefined) throw new Error(problem);
    await this.#enforce({ readAt, column: this.#source.column ?? null, ...noCounts }, content);
    // Entries beyond the bounds can have room later.
    this.#last = content.beyond === 0 ? last : undefined;
    this.#file.save();
  }

  #contentOptions(): ContentOptions {
    const { table } = this.#options;
    return { column: this.#source.column, own: ownAddresses(), most: table.roomFor(this.name) };
  }

  async #enforce(known: Known, { entries, beyond, unread, ownNetworks, tooWide, edges }: Content): Promise<void> {
    this.#known = { ...known, unread, ownNetworks, tooWide, edges };
    this.#beyondText =
      beyond === 0 ? '' : `${this.#title}: ${beyond} entries beyond the bounds of lists are not in force`;
    this.#complain(this.#beyondText);
    await this.#options.table.replace(this.name, !this.isDetecting, entries);
  }

  /** Resolves with undefined when nothing changed. */
  async #read(): Promise<Read | undefined> {
    const { file } = this.#source;
    if (file !== undefined) {
      const text = (await readRegular(file, daemonBounds.listBytes)).toString('utf8');
      return { texts: [text], etags: [] };
    }
    const found = await this.#downloadAll(this.#last?.etags ?? []);
    if (found.every(({ text }) => text === undefined)) return undefined;
    // The texts of before are not kept: those that did not change are read again beside one that did.
    const all = found.some(({ text }) => text === undefined) ? await this.#downloadAll([]) : found;
    return { texts: all.map(({ text }) => text ?? ''), etags: all.map(({ etag }) => etag) };
  }

  async #downloadAll(etags: Read['etags']): Promise<Downloaded[]> {
    const bounds = { mostBytes: daemonBounds.listBytes, ms: daemonBounds.listMs, signal: this.#options.signal };
    return Promise.all(this.#urls.map((url, index) => download(url, { ...bounds, etag: etags[index] })));
  }
}
