/**
 * Brings changes of the table to the store. Only which addresses changed is kept: what is written is how they stand when
 * it is written. So a store that was ill catches up from memory, and repeats cost nothing.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { formatPrefix } from '../address/prefix.ts';
import { after } from '../time/timer.ts';
import type { Change } from './file.ts';
import type { BanRecord } from './records.ts';
import type { Row } from './row.ts';
import type { Store, StoreOutcome } from './store.ts';

export interface JournalSource {
  /** How an address or network stands; undefined: nothing is known of it. */
  readonly row: (ip: string) => Row | undefined;
  readonly everything: () => Iterable<string>;
  /** What the store holds at its start. */
  readonly take: (record: BanRecord) => void;
  /** So many rows of the store were not understood. */
  readonly unreadable: (count: number) => void;
  /** The store was replaced; the message says why. */
  readonly fault: (message: string) => void;
}

export interface Journal {
  /** Whether the change of an address is on the disk. */
  readonly changed: (ip: string) => Promise<boolean>;
  /** Whether something of an address is not on the disk yet; undefined: it is. */
  readonly pending: (ip: string) => Promise<boolean> | undefined;
  readonly problems: () => readonly string[];
  /** Problems that are over are reported no longer. */
  readonly acknowledge: () => void;
  /** Checks the store and tries once more to write what is left. */
  readonly close: () => Promise<void>;
}

/** Past it, a long time without a disk, bans that are over are not remembered for deletion: their rows say that they are over. */
const mostDirty = daemonBounds.bans * 2;

type Waiter = (isDurable: boolean) => void;

class StoreJournal implements Journal {
  readonly #store: Store;
  readonly #source: JournalSource;
  /** Addresses that changed since they were last written, and who waits for that. */
  #dirty = new Map<string, Waiter[]>();
  #writing: Map<string, Waiter[]> = new Map();
  #cancelRetry = () => {};
  #run: Promise<void> | undefined;
  #isLoaded = false;
  #isClosed = false;
  #failure: string | undefined;
  /** That the store was replaced; a reload of the configuration is taken as read. */
  #aside: string | undefined;
  #isRewritten = false;
  #checks: NodeJS.Timeout | undefined;
  #retryMs: number = daemonBounds.banRetryMs.first;

  constructor(store: Store, source: JournalSource) {
    this.#store = store;
    this.#source = source;
  }

  changed(ip: string): Promise<boolean> {
    if (this.#dirty.size >= mostDirty && this.#source.row(ip) === undefined) return Promise.resolve(false);
    const waiters = this.#dirty.get(ip) ?? [];
    this.#dirty.set(ip, waiters);
    if (this.#failure !== undefined || this.#isClosed) return Promise.resolve(false);
    const written = new Promise<boolean>((resolve) => waiters.push(resolve));
    this.#begin();
    return written;
  }

  pending(ip: string): Promise<boolean> | undefined {
    return this.#dirty.has(ip) || this.#writing.has(ip) ? this.changed(ip) : undefined;
  }

  problems(): readonly string[] {
    const failure = this.#failure === undefined ? [] : [`bans are not stored: ${this.#failure}`];
    return this.#aside === undefined ? failure : [...failure, this.#aside];
  }

  /** Reads the store; what is newer in memory stays. */
  async #load(): Promise<void> {
    const outcome = await this.#store.load((records, unreadable) => {
      this.#source.unreadable(unreadable);
      for (const record of records) if (!this.#isDirty(record)) this.#source.take(record);
    });
    this.#isLoaded ||= outcome.ok;
    this.#apply(outcome);
  }

  /** Mostly nothing is, and a name need not be made. */
  #isDirty({ prefix }: BanRecord): boolean {
    return this.#dirty.size > 0 && this.#dirty.has(formatPrefix(prefix));
  }

  #apply(outcome: StoreOutcome): void {
    if (outcome.ok) {
      this.#failure = undefined;
      this.#isRewritten = false;
      this.#retryMs = daemonBounds.banRetryMs.first;
    } else if (outcome.aside === undefined || this.#isRewritten) this.#fail(outcome.message);
    else this.#rewrite(outcome.message, outcome.aside, outcome.kept);
  }

  /** Enforced in memory, tried again later, and nobody waits. */
  #fail(message: string): void {
    this.#failure = message;
    for (const [ip, waiters] of this.#dirty) {
      for (const resolve of waiters) resolve(false);
      this.#dirty.set(ip, []);
    }
    if (this.#isClosed) return;
    this.#cancelRetry = after(this.#retryMs, () => this.#begin());
    this.#retryMs = Math.min(this.#retryMs * 2, daemonBounds.banRetryMs.most);
  }

  /** The store is empty: all of the table is written again. */
  #rewrite(message: string, aside: string | null, kept: number | undefined): void {
    const found = kept === undefined ? '' : `; ${kept} rows of it were kept`;
    const old = aside === null ? 'nothing is left of the old one' : `the old one is ${aside}`;
    this.#aside = `the ban store was replaced and written anew: ${message}${found}; ${old}`;
    this.#source.fault(this.#aside);
    this.#failure = undefined;
    this.#isRewritten = true;
    this.#isLoaded = true;
    for (const ip of this.#source.everything()) if (!this.#dirty.has(ip)) this.#dirty.set(ip, []);
  }

  /** Writes what is left, after this turn of the event loop: what comes in it is one transaction. */
  #begin(): void {
    this.#run ??= this.#writeAll().finally(() => {
      this.#run = undefined;
      if (this.#dirty.size > 0 && this.#failure === undefined && !this.#isClosed) this.#begin();
    });
  }

  async #writeAll(): Promise<void> {
    await setImmediate();
    if (!this.#isLoaded) await this.#load();
    if (!this.#isLoaded) return;
    while ((await this.#writeSome()) && this.#dirty.size > 0) await this.#waitForMore();
  }

  /** Others may join the next transaction. Many that wait already, and a daemon that ends, do not wait for them. */
  async #waitForMore(): Promise<void> {
    if (this.#isClosed || this.#dirty.size >= daemonBounds.banCommitPrompt) return;
    await setTimeout(daemonBounds.banCommitMs);
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

  /** One transaction, which checks the store even when nothing is to be written; whether to go on. */
  async #writeSome(): Promise<boolean> {
    this.#writing = this.#take(daemonBounds.banCommitRecords);
    const changes: Change[] = [...this.#writing.keys()].map((ip) => this.#source.row(ip) ?? ip);
    const outcome = await this.#store.write(changes);
    const written = this.#writing;
    this.#writing = new Map();
    if (!outcome.ok)
      for (const [ip, waiters] of written) this.#dirty.set(ip, [...waiters, ...(this.#dirty.get(ip) ?? [])]);
    this.#apply(outcome);
    if (outcome.ok) for (const waiters of written.values()) for (const resolve of waiters) resolve(true);
    return this.#failure === undefined;
  }

  acknowledge(): void {
    this.#aside = undefined;
  }

  /** Reads the store for the first time. */
  async open(): Promise<void> {
    this.#begin();
    await this.#run;
    const check = () => this.#failure === undefined && this.#begin();
    this.#checks = setInterval(check, daemonBounds.banCheckMs).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry();
    clearInterval(this.#checks);
    await this.#run;
    if (this.#isLoaded || this.#dirty.size > 0) await this.#writeAll();
    await this.#store.close();
  }
}

/** Reads the store and keeps it. A store that cannot be had is a problem and no error. */
export async function openJournal(store: Store, source: JournalSource): Promise<Journal> {
  const journal = new StoreJournal(store, source);
  await journal.open();
  return journal;
}
