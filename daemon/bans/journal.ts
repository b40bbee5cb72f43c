/**
 * Writes changes of the table to the store. It keeps only the addresses that changed and writes their latest rows. So a
 * failing store catches up from memory, and repeated changes cost one write.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { formatPrefix } from '../address/prefix.ts';
import { after } from '../time/timer.ts';
import type { StoreState } from './ban.ts';
import type { Change } from './file.ts';
import { Patience, type StallMs } from './patience.ts';
import type { BanRecord } from './records.ts';
import type { Row } from './row.ts';
import type { Store, StoreOutcome } from './store.ts';

export interface JournalSource {
  /** The current row of an address or network. Undefined: none. */
  readonly row: (ip: string) => Row | undefined;
  readonly everything: () => Iterable<string>;
  /** A record of the store. The source can have a newer one of the address. False: its row is deleted. */
  readonly take: (record: BanRecord) => boolean;
  /** The store was read. */
  readonly loaded: () => void;
  /** The number of rows of the store that could not be read. */
  readonly unreadable: (count: number) => void;
  /** Called with the reason when the store was replaced. */
  readonly fault: (message: string) => void;
  readonly stallMs: StallMs;
}

/** Beyond this number, expired bans are not queued for deletion: their rows contain their end. */
const mostDirty = daemonBounds.bans * 2;

type Waiter = (isDurable: boolean) => void;

interface Replacement {
  readonly message: string;
  /** The name of the old store. Null: no file of it is left. */
  readonly aside: string | null;
}

function replaced({ message, aside }: Replacement): string {
  const old = aside === null ? 'no file of the old store is left' : `the old store is kept as ${aside}`;
  return `the ban store was replaced and rewritten: ${message}; ${old}`;
}

const release = (waiters: Iterable<readonly Waiter[]>): void => {
  for (const some of waiters) for (const resolve of some) resolve(false);
};

export class Journal {
  readonly #store: Store;
  readonly #source: JournalSource;
  /** Changed addresses, and the callers that wait for their write. */
  #dirty = new Map<string, Waiter[]>();
  /** Those whose stored rows do not count: see `changed`. Empty when the store was read. */
  readonly #overruled = new Set<string>();
  #cancelRetry = () => {};
  #run: Promise<void> | undefined;
  #isLoaded = false;
  #isClosed = false;
  #failure: string | undefined;
  readonly #patience = new Patience();
  /** The replacement of the store, reported until the configuration is reloaded. */
  #replacement: Replacement | undefined;
  #isRewritten = false;
  /** Callers whose changes are in a replaced store that does not have the whole table yet. Undefined: it has. */
  #held: Waiter[] | undefined;
  #checks: NodeJS.Timeout | undefined;
  #retryMs: number = daemonBounds.banRetryMs.first;

  private constructor(store: Store, source: JournalSource) {
    this.#store = store;
    this.#source = source;
  }

  /**
   * Resolves with whether the change of an address is on disk. `isOverruling`: a row that the store has and that was not read
   * yet does not count any more, because the ban was lifted or replaced.
   */
  changed(ip: string, isOverruling = false): Promise<boolean> {
    if (this.#dirty.size >= mostDirty && this.#source.row(ip) === undefined) return Promise.resolve(false);
    const waiters = this.#dirty.get(ip) ?? [];
    this.#dirty.set(ip, waiters);
    if (isOverruling && !this.#isLoaded) this.#overruled.add(ip);
    if (this.#failure !== undefined || this.#isClosed) return Promise.resolve(false);
    const written = new Promise<boolean>((resolve) => waiters.push(resolve));
    this.#begin();
    return written;
  }

  /** Why the store cannot be read or written. Undefined: it can. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Whether the stored bans were read. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  state(): StoreState {
    if (this.#patience.isStalled) return 'stalled';
    if (!this.#isLoaded) return 'unread';
    return this.#failure === undefined && !this.#held ? 'ok' : 'failing';
  }

  problems(): readonly string[] {
    const unread = this.#isLoaded ? '' : 'the stored bans are not enforced, and ';
    const failure = this.#failure === undefined ? [] : [`${unread}bans are not stored: ${this.#failure}`];
    return this.#replacement === undefined ? failure : [...failure, replaced(this.#replacement)];
  }

  /** Reads the store. Changed addresses are written afterwards. */
  async #load(): Promise<void> {
    await this.#store.started(); // the start of a thread says nothing about the disk
    const take: Parameters<Store['load']>[0] = (records, unreadable) => {
      this.#responded();
      this.#source.unreadable(unreadable);
      for (const record of records)
        if (!this.#isOverruled(record) && !this.#source.take(record)) this.#queue(formatPrefix(record.prefix));
    };
    const loading = this.#store.load(take, this.#responded);
    const outcome = await this.#patiently(loading, this.#source.stallMs.load);
    this.#isLoaded ||= outcome.ok;
    this.#apply(outcome);
    if (this.#isLoaded) this.#overruled.clear();
  }

  readonly #responded = (): void => this.#patience.refresh();

  /** Waits for an order, and releases the callers when the store does not respond. */
  #patiently<T>(response: Promise<T>, ms: number, written: ReadonlyMap<string, readonly Waiter[]> = new Map()) {
    return this.#patience.wait(response, ms, () => {
      this.#failure = `the disk has not responded for ${ms / 1000} s`;
      release(written.values());
      this.#releaseAll();
    });
  }

  #releaseAll(): void {
    release(this.#dirty.values());
    for (const ip of this.#dirty.keys()) this.#dirty.set(ip, []);
    release([this.#held ?? []]);
    this.#held &&= [];
  }

  /** Usually the set is empty, and no name has to be formatted. */
  #isOverruled({ prefix }: BanRecord): boolean {
    return this.#overruled.size > 0 && this.#overruled.has(formatPrefix(prefix));
  }

  /** Has an address written for which no caller waits. */
  #queue(ip: string): void {
    if (!this.#dirty.has(ip)) this.#dirty.set(ip, []);
  }

  #apply(outcome: StoreOutcome): void {
    if (outcome.ok) {
      if (outcome.isAsideGone && this.#replacement) this.#replacement = { ...this.#replacement, aside: null };
      this.#failure = undefined;
      this.#isRewritten = false;
      this.#retryMs = daemonBounds.banRetryMs.first;
    } else if (outcome.aside === undefined || this.#isRewritten) this.#fail(outcome.message);
    else this.#rewrite(outcome.message, outcome.aside, outcome.kept);
  }

  /** Keeps enforcing in memory, retries later, and releases the waiting callers. */
  #fail(message: string): void {
    this.#failure = message;
    this.#releaseAll();
    if (this.#isClosed) return;
    this.#cancelRetry = after(this.#retryMs, () => this.#begin());
    this.#retryMs = Math.min(this.#retryMs * 2, daemonBounds.banRetryMs.most);
  }

  /** The store has not every ban: writes the whole table. */
  #rewrite(message: string, aside: string | null, kept: number | undefined): void {
    const found = kept === undefined ? '' : `; ${kept} rows were recovered from it`;
    this.#replacement = { message: `${message}${found}`, aside };
    this.#source.fault(replaced(this.#replacement));
    this.#failure = undefined;
    this.#isRewritten = true;
    this.#isLoaded = true;
    for (const ip of this.#source.everything()) this.#queue(ip);
    this.#held ??= [];
  }

  /** Writes pending changes after this turn of the event loop, so that one turn is one transaction. */
  #begin(): void {
    this.#run ??= this.#writeAll().finally(() => {
      this.#run = undefined;
      if (this.#dirty.size > 0 && this.#failure === undefined && !this.#isClosed) this.#begin();
    });
  }

  async #writeAll(): Promise<void> {
    await setImmediate();
    if (!this.#isLoaded) {
      await this.#load();
      if (!this.#isLoaded) return;
      this.#source.loaded();
    }
    while ((await this.#writeSome()) && (this.#dirty.size > 0 || this.#held)) await this.#waitForMore();
  }

  /** Waits for more changes for the next transaction, unless many are pending or the journal closes. */
  async #waitForMore(): Promise<void> {
    if (this.#isClosed || this.#dirty.size >= daemonBounds.banCommitPrompt) return;
    await sleep(daemonBounds.banCommitMs);
  }

  #take(most: number): Map<string, Waiter[]> {
    if (this.#dirty.size <= most) {
      const all = this.#dirty;
      this.#dirty = new Map();
      return all;
    }
    const some = new Map<string, Waiter[]>();
    for (const [ip, waiters] of this.#dirty) {
      if (some.size === most) break;
      some.set(ip, waiters);
      this.#dirty.delete(ip);
    }
    return some;
  }

  /** Runs one transaction, which checks the store even without changes. Returns whether to continue. */
  async #writeSome(): Promise<boolean> {
    const written = this.#take(daemonBounds.banCommitRecords);
    const isEverything = this.#dirty.size === 0;
    const changes: Change[] = [...written.keys()].map((ip) => this.#source.row(ip) ?? ip);
    const writing = this.#store.write(changes, isEverything && this.#held !== undefined, this.#responded);
    const { load, write } = this.#source.stallMs;
    const outcome = await this.#patiently(writing, this.#isRewritten ? load : write, written); // a rewrite creates the store
    if (!outcome.ok)
      for (const [ip, waiters] of written) this.#dirty.set(ip, [...waiters, ...(this.#dirty.get(ip) ?? [])]);
    this.#apply(outcome);
    if (outcome.ok) this.#confirm([...written.values()].flat(), isEverything);
    return this.#failure === undefined;
  }

  /** Resolves callers, except while bans that were acknowledged earlier are missing in a replaced store. */
  #confirm(waiters: readonly Waiter[], isEverything: boolean): void {
    const waiting = [...(this.#held ?? []), ...waiters];
    this.#held = this.#held && !isEverything ? waiting : undefined;
    if (!this.#held) for (const resolve of waiting) resolve(true);
  }

  /** Stops reporting problems that are over. */
  acknowledge(): void {
    this.#replacement = undefined;
  }

  /** Reads the store and keeps it up to date. A store that cannot be opened is a problem, not an error. */
  static async open(store: Store, source: JournalSource): Promise<Journal> {
    const journal = new Journal(store, source);
    journal.#begin();
    await journal.#patience.unlessStalled(journal.#run as Promise<void>);
    const check = () => journal.#failure === undefined && journal.#begin();
    journal.#checks = setInterval(check, daemonBounds.banCheckMs).unref();
    return journal;
  }

  /** Checks the store and tries again to write pending changes. Resolves with whether the store was closed. */
  close(): Promise<boolean> {
    this.#isClosed = true;
    this.#cancelRetry();
    clearInterval(this.#checks);
    return this.#patience.unlessStalled(this.#finish());
  }

  async #finish(): Promise<void> {
    await this.#run;
    if (this.#isLoaded || this.#dirty.size > 0) await this.#writeAll();
    await this.#patiently(this.#store.close(), this.#source.stallMs.write);
  }
}
