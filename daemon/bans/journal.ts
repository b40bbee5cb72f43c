/**
 * Writes changes of bans to the store. The journal keeps the changed addresses and writes their current rows, so a
 * failed write loses nothing.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { formatPrefix } from '../address/prefix.ts';
import { doubled } from '../time/pause.ts';
import { after } from '../time/timer.ts';
import type { StoreState } from './ban.ts';
import type { StoredBan } from './batch.ts';
import type { Change } from './file.ts';
import type { BanRecord } from './records.ts';
import type { Row } from './row.ts';
import { type StallMs, StallTimer } from './stall-timer.ts';
import type { Store } from './store.ts';
import type { StoreOutcome } from './worker.ts';

interface JournalSource {
  /** The current row of an address or network. Undefined when it has none. */
  readonly row: (ip: string) => Row | undefined;
  /** All addresses and networks of the table. */
  readonly everything: () => Iterable<string>;
  /** Called with each record of the store. Returns false when its row is to be deleted. */
  readonly restore: (record: StoredBan) => boolean;
  readonly loaded: () => void;
  /** Called with the number of rows that could not be read. */
  readonly unreadable: (count: number) => void;
  /** Called when a new store has replaced a damaged one. */
  readonly fault: (message: string) => void;
  /** Called with the problem while bans are not stored. An empty text reports that the problem is over. */
  readonly failed: (problem: string) => void;
  readonly stallMs: StallMs;
}

/** With this many queued addresses, deletions are not queued: the next start drops the rows of expired bans. */
const mostDirty = daemonBounds.bans * 2;

type Waiter = (isDurable: boolean) => void;

interface Replacement {
  readonly message: string;
  /** The file name of the old store. Null when no file of the old store exists. */
  readonly oldStoreName: string | null;
}

function replacementText({ message, oldStoreName }: Replacement): string {
  const old = oldStoreName === null ? 'no file of the old store is left' : `the old store is kept as ${oldStoreName}`;
  return `the ban store was replaced and rewritten: ${message}; ${old}`;
}

const releaseCallers = (waiters: Iterable<readonly Waiter[]>): void => {
  for (const some of waiters) for (const resolve of some) resolve(false);
};

export class Journal {
  readonly #store: Store;
  readonly #source: JournalSource;
  /** Changed addresses with the callers that wait for their write. */
  #dirty = new Map<string, Waiter[]>();
  /**
   * Addresses that were unbanned, or banned for a shorter time, since the last write. A load ignores their rows. The
   * next write records them for the backup.
   */
  readonly #overruled = new Set<string>();
  #cancelRetry = () => {};
  #running: Promise<void> | undefined;
  #isLoaded = false;
  #isClosed = false;
  #failure: string | undefined;
  readonly #stallTimer = new StallTimer();
  /** The latest replacement of the store. It is reported until the configuration is reloaded. */
  #replacement: Replacement | undefined;
  #isRewritten = false;
  #backupProblem: string | undefined;
  /** Callers that wait until a new store has the whole table. Undefined when no store is being filled. */
  #heldCallers: Waiter[] | undefined;
  #checks: NodeJS.Timeout | undefined;
  /** Failures in a row. */
  #failures = 0;

  private constructor(store: Store, source: JournalSource) {
    this.#store = store;
    this.#source = source;
  }

  /**
   * Queues the change of an address. Resolves with whether it is on disk. `isOverruling`: if the store or its backup is
   * read later, its row of this address is ignored.
   */
  queueChange(ip: string, isOverruling = false): Promise<boolean> {
    if (this.#dirty.size >= mostDirty && this.#source.row(ip) === undefined) return Promise.resolve(false);
    const waiters = this.#dirty.get(ip) ?? [];
    this.#dirty.set(ip, waiters);
    if (isOverruling) this.#overruled.add(ip);
    if (this.#failure !== undefined || this.#isClosed) return Promise.resolve(false);
    const written = new Promise<boolean>((resolve) => waiters.push(resolve));
    this.#begin();
    return written;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  state(): StoreState {
    if (this.#stallTimer.isStalled) return 'stalled';
    if (!this.#isLoaded) return 'unread';
    return this.#failure === undefined && !this.#heldCallers ? 'ok' : 'failing';
  }

  problems(): readonly string[] {
    const problem = this.#problem();
    return [
      ...(problem === '' ? [] : [problem]),
      ...(this.#replacement === undefined ? [] : [replacementText(this.#replacement)]),
      ...(this.#backupProblem === undefined ? [] : [`the bans are not backed up: ${this.#backupProblem}`]),
    ];
  }

  /** Why bans are not stored. Empty when they are. */
  #problem(): string {
    const unread = this.#isLoaded ? '' : 'the stored bans are not enforced, and ';
    return this.#failure === undefined ? '' : `${unread}bans are not stored: ${this.#failure}`;
  }

  #setFailure(failure: string | undefined): void {
    this.#failure = failure;
    this.#source.failed(this.#problem());
  }

  async #load(): Promise<void> {
    await this.#store.started(); // the time to start the thread must not count as a delay of the disk
    const onRecords: Parameters<Store['load']>[0] = (records, unreadable) => {
      this.#onResponse();
      this.#source.unreadable(unreadable);
      for (const record of records)
        if (!this.#isOverruled(record) && !this.#source.restore(record)) this.#queue(formatPrefix(record.prefix));
    };
    const loading = this.#store.load(onRecords, this.#onResponse);
    const outcome = await this.#responseOf(loading, this.#source.stallMs.load);
    this.#isLoaded ||= outcome.ok;
    this.#applyOutcome(outcome);
  }

  readonly #onResponse = (): void => this.#stallTimer.refresh();

  /** Waits for a response of the store. When it takes too long, resolves the callers of `queueChange` with false. */
  #responseOf<T>(response: Promise<T>, ms: number, written: ReadonlyMap<string, readonly Waiter[]> = new Map()) {
    return this.#stallTimer.wait(response, ms, () => {
      this.#setFailure(`the disk has not responded for ${ms / 1000} s`);
      releaseCallers(written.values());
      this.#releaseAll();
    });
  }

  #releaseAll(): void {
    releaseCallers(this.#dirty.values());
    for (const ip of this.#dirty.keys()) this.#dirty.set(ip, []);
    releaseCallers([this.#heldCallers ?? []]);
    this.#heldCallers &&= [];
  }

  /** Whether a stored row is ignored. Checks the size first, because formatting a million texts takes seconds. */
  #isOverruled({ prefix }: BanRecord): boolean {
    return this.#overruled.size > 0 && this.#overruled.has(formatPrefix(prefix));
  }

  /** Queues a change for which no caller waits. */
  #queue(ip: string): void {
    if (!this.#dirty.has(ip)) this.#dirty.set(ip, []);
  }

  #applyOutcome(outcome: StoreOutcome): void {
    if (outcome.ok) {
      if (outcome.isOldStoreGone && this.#replacement) this.#replacement = { ...this.#replacement, oldStoreName: null };
      this.#setFailure(undefined);
      this.#isRewritten = false;
      this.#backupProblem = outcome.backupProblem;
      this.#failures = 0;
    } else if (outcome.oldStoreName === undefined || this.#isRewritten) this.#fail(outcome.message);
    else this.#rewrite(outcome.message, outcome.oldStoreName);
  }

  /** Resolves waiting callers with false, and retries later. */
  #fail(message: string): void {
    this.#setFailure(message);
    this.#releaseAll();
    if (this.#isClosed) return;
    this.#failures += 1;
    const { first, most } = daemonBounds.diskRetryMs;
    this.#cancelRetry = after(doubled(this.#failures, first, most), () => this.#begin());
  }

  /** Queues the whole table for a new store. */
  #rewrite(message: string, oldStoreName: string | null): void {
    this.#replacement = { message, oldStoreName };
    this.#source.fault(replacementText(this.#replacement));
    this.#setFailure(undefined);
    this.#isRewritten = true;
    this.#isLoaded = true;
    for (const ip of this.#source.everything()) this.#queue(ip);
    this.#heldCallers ??= [];
  }

  /** Writes pending changes after this turn of the event loop, so that all its changes share a transaction. */
  #begin(): void {
    this.#running ??= this.#writeAll().finally(() => {
      this.#running = undefined;
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
    while ((await this.#writeSome()) && (this.#dirty.size > 0 || this.#heldCallers)) await this.#waitForMore();
  }

  async #waitForMore(): Promise<void> {
    if (this.#isClosed || this.#dirty.size >= daemonBounds.banCommitPrompt) return;
    await sleep(daemonBounds.banCommitMs);
  }

  #drainChanges(most: number): Map<string, Waiter[]> {
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

  /** Runs one transaction, or only checks the store. Returns whether to continue. */
  async #writeSome(): Promise<boolean> {
    const written = this.#drainChanges(daemonBounds.banCommitRecords);
    const isEverything = this.#dirty.size === 0;
    const changes: Change[] = [...written.keys()].map((ip) => this.#source.row(ip) ?? ip);
    const lifted = [...written.keys()].filter((ip) => this.#overruled.delete(ip));
    const isWhole = isEverything && this.#heldCallers !== undefined;
    const writing = this.#store.write({ changes, lifted, isWhole }, this.#onResponse);
    const { load, write } = this.#source.stallMs;
    // The first write after a replacement also creates the new store, so it may take longer.
    const outcome = await this.#responseOf(writing, this.#isRewritten ? load : write, written);
    if (!outcome.ok) {
      for (const [ip, waiters] of written) this.#dirty.set(ip, [...waiters, ...(this.#dirty.get(ip) ?? [])]);
      for (const ip of lifted) this.#overruled.add(ip);
    }
    this.#applyOutcome(outcome);
    if (outcome.ok) this.#confirm([...written.values()].flat(), isEverything);
    return this.#failure === undefined;
  }

  /** Resolves callers with true, or holds them while a new store is incomplete. */
  #confirm(waiters: readonly Waiter[], isEverything: boolean): void {
    const waiting = [...(this.#heldCallers ?? []), ...waiters];
    this.#heldCallers = this.#heldCallers && !isEverything ? waiting : undefined;
    if (!this.#heldCallers) for (const resolve of waiting) resolve(true);
  }

  /** Stops reporting the replacement. */
  acknowledge(): void {
    this.#replacement = undefined;
  }

  /** Opens a journal and reads the store. When the store cannot be opened, `problems` reports it. */
  static async open(store: Store, source: JournalSource): Promise<Journal> {
    const journal = new Journal(store, source);
    journal.#begin();
    await journal.#stallTimer.unlessStalled(journal.#running as Promise<void>);
    const check = () => journal.#failure === undefined && journal.#begin();
    journal.#checks = setInterval(check, daemonBounds.banCheckMs).unref();
    return journal;
  }

  /** Writes pending changes once more and closes the store. Resolves with whether it was closed. */
  close(): Promise<boolean> {
    this.#isClosed = true;
    this.#cancelRetry();
    clearInterval(this.#checks);
    return this.#stallTimer.unlessStalled(this.#finish());
  }

  async #finish(): Promise<void> {
    await this.#running;
    if (this.#isLoaded || this.#dirty.size > 0) await this.#writeAll();
    await this.#responseOf(this.#store.close(this.#onResponse), this.#source.stallMs.write);
  }
}
