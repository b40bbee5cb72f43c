/** One list: reads it after each interval, and keeps its content when a new one fails. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { type ListSource, listName, listPresets } from '../../contract/daemon/lists.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { readReason, readRegular } from '../../platform/regular-file.ts';
import { type Complain, createComplainer } from '../audit/complainer.ts';
import { StoredFile } from '../audit/stored-file.ts';
import { ownAddresses } from '../process/limits.ts';
import { jittered, pause } from '../time/pause.ts';
import { type Content, contentOf, contentProblem } from './content.ts';
import { type Copy, readCopy, writeCopy } from './copy.ts';
import { download } from './download.ts';
import type { ListTable } from './table.ts';

export interface FollowedOptions {
  readonly table: ListTable;
  readonly dataDir: string;
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal;
}

export interface ListState extends Omit<Content, 'entries'> {
  readonly name: string;
  readonly action: 'ban' | 'detect';
  readonly entries: number;
  /** When the content in force was read, milliseconds since the epoch. Null: there is none. */
  readonly readAt: number | null;
  /** Connections of its addresses, with `action: detect`. */
  readonly detected: number;
  readonly problem: string | null;
}

const noContent: Content = { entries: new Set(), unread: 0, ownNetworks: 0, tooWide: 0, edges: 0 };

export class FollowedList {
  readonly name: string;
  detected = 0;
  readonly #source: ListSource;
  readonly #options: FollowedOptions;
  readonly #complain: Complain;
  readonly #file: StoredFile;
  #copy: Copy = { readAt: 0, etags: [], texts: [] };
  #content = noContent;
  #hasContent = false;

  constructor(source: ListSource, options: FollowedOptions) {
    this.name = listName(source);
    this.#source = source;
    this.#options = options;
    this.#complain = createComplainer(options.log);
    const { dataDir, log } = options;
    const write = () => writeCopy(dataDir, this.name, this.#copy);
    this.#file = new StoredFile({ write, problem: `list ${this.name}: cannot be kept on disk`, log });
  }

  get isDetecting(): boolean {
    return this.#source.action === 'detect';
  }

  get #urls(): readonly string[] {
    const { preset, url } = this.#source;
    return preset ? listPresets[preset].urls : url === undefined ? [] : [url];
  }

  state(): ListState {
    const { entries, ...counts } = this.#content;
    const [problem = null] = this.problems();
    const readAt = this.#hasContent ? this.#copy.readAt : null;
    const { name, detected } = this;
    return { name, action: this.#source.action, entries: entries.size, ...counts, readAt, detected, problem };
  }

  problems(): readonly string[] {
    return [...this.#complain.problems(), ...this.#file.problems()];
  }

  /** Puts the content of the previous run into force. */
  async restore(): Promise<void> {
    const copy = await readCopy(this.#options.dataDir, this.name);
    if (copy) await this.#apply(copy, false);
  }

  /** Reads the list until the signal is aborted. */
  async follow(): Promise<void> {
    const { signal } = this.#options;
    const intervalMs = parseDuration(this.#source.interval) as number;
    let repeatAt = this.#options.now() + daemonBounds.listHoldMs / 2;
    while (!signal.aborted) {
      await this.#readOnce();
      const failed = this.#complain.problems().length > 0;
      await pause(jittered(failed ? Math.min(intervalMs, daemonBounds.listRetryMs) : intervalMs, 0.9), signal);
      if (signal.aborted || this.#options.now() < repeatAt) continue;
      repeatAt = this.#options.now() + daemonBounds.listHoldMs / 2;
      await this.#options.table.repeat(this.name);
    }
    await this.#file.close();
  }

  async #readOnce(): Promise<void> {
    try {
      const copy = await this.#read();
      if (copy) await this.#apply(copy, true);
      this.#complain('');
    } catch (error) {
      if (this.#options.signal.aborted) return;
      const stays = this.#hasContent ? `; the ${this.#content.entries.size} entries of before stay` : '';
      this.#complain(`list ${this.name}: ${readReason(error)}${stays}`);
    }
  }

  /** Resolves with undefined when nothing changed. */
  async #read(): Promise<Copy | undefined> {
    const { file } = this.#source;
    const readAt = this.#options.now();
    if (file !== undefined) {
      const text = (await readRegular(file, daemonBounds.listBytes)).toString('utf8');
      return text === this.#copy.texts[0] ? undefined : { readAt, etags: [], texts: [text] };
    }
    const { etags, texts } = this.#copy;
    const bounds = { mostBytes: daemonBounds.listBytes, ms: daemonBounds.listMs, signal: this.#options.signal };
    const found = await Promise.all(
      this.#urls.map((url, index) => download(url, { ...bounds, etag: this.#hasContent ? etags[index] : undefined })),
    );
    if (this.#hasContent && found.every(({ text }) => text === undefined)) return undefined;
    return {
      readAt,
      etags: found.map(({ etag }) => etag),
      texts: found.map(({ text }, index) => text ?? texts[index] ?? ''),
    };
  }

  /** @throws Error that says why the copy does not replace the content in force */
  async #apply(copy: Copy, isNew: boolean): Promise<void> {
    const content = await contentOf(copy.texts, this.#source.column, ownAddresses());
    const problem = isNew ? contentProblem(content, this.#hasContent ? this.#content.entries : new Set()) : undefined;
    if (problem !== undefined) throw new Error(problem);
    [this.#copy, this.#content, this.#hasContent] = [copy, content, true];
    if (isNew) this.#file.save();
    await this.#options.table.replace(this.name, !this.isDetecting, content.entries);
  }
}
