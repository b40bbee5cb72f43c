/** The bans of the daemon: in memory for lookups, on disk for the next start. */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { cutBytes } from '../../platform/cut.ts';
import { formatPrefix, isTooWide, isUnspecified, type Prefix, readPrefix } from '../address/prefix.ts';
import { createComplainer } from '../audit/complainer.ts';
import { createStepDetector } from '../time/clock.ts';
import type {
  Ban,
  BanChange,
  BanListener,
  BanOutcome,
  BanRefusal,
  BanRequest,
  Bans,
  ConfigurableBans,
  EdgeSource,
  LiftedBan,
} from './ban.ts';
import type { StoredBan } from './batch.ts';
import { Edges } from './edges.ts';
import { BanEvidence } from './evidence.ts';
import { CurrentExempt, type Exempt } from './exempt.ts';
import { type Expiry, startExpiry } from './expiry.ts';
import { Journal } from './journal.ts';
import { type BanRecord, isDetected, storedOrigin, toBan } from './records.ts';
import { toRow } from './row.ts';
import type { StallMs } from './stall-timer.ts';
import { openStore, UnreadableStore } from './store.ts';
import { BanTable } from './table.ts';
import { decide, strongerOf, termsOf } from './terms.ts';
import { BanView } from './view.ts';

interface BansOptions {
  readonly config: Daemon;
  /** The folder of the store. Created when it does not exist. */
  readonly dataDir: string;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
  readonly monotonic?: () => number;
  /** A listener that gets every change. Listeners of `watch` miss the changes during `open`. */
  readonly onChange?: (change: BanChange) => void;
  readonly stallMs?: StallMs;
  /** Called when a new store has replaced a damaged one, and once when bans are not stored. */
  readonly onFault?: (message: string) => void;
}

const refusedOutcome = (refusal: BanRefusal): BanOutcome => ({ ok: false, refusal });

/** Changes the bans, and keeps the store and the listeners up to date. */
class StoredBans implements Omit<ConfigurableBans, keyof BanView> {
  readonly view: BanView;
  readonly #table = new BanTable();
  readonly #evidence = new BanEvidence();
  readonly #listeners = new Set<BanListener>();
  /** Those that also get the changes of detected bans. */
  readonly #allListeners = new Set<BanListener>();
  readonly #now: () => number;
  readonly #expiry: Expiry;
  readonly #readClockStep: () => number;
  #journal!: Journal; // set by `open`
  #terms;
  #detects;
  readonly #exempt: CurrentExempt;
  readonly #edges: Edges;
  #unreadableRows = 0;
  /** True between the end of `open` and `close`. In this time, listeners are notified when the store is read again. */
  #isOpen = false;

  constructor({ config, now, monotonic, onChange, onFault = () => {} }: BansOptions) {
    this.#now = now;
    this.#edges = new Edges(onFault);
    this.#readClockStep = createStepDetector(now, monotonic);
    this.#terms = termsOf(config);
    this.#detects = config.bans.mode === 'detect';
    this.#exempt = new CurrentExempt(config.global.never_ban);
    const { checkClock } = this;
    this.view = new BanView({ table: this.#table, exempt: this.#exempt, evidence: this.#evidence, now, checkClock });
    if (onChange) this.#allListeners.add(onChange);
    this.#expiry = startExpiry({
      table: this.#table,
      now,
      ended: (record) => {
        const ban = toBan(record);
        this.#dropEvidence(ban.ip);
        this.#notify({ kind: 'unbanned', ban, why: 'expired' });
      },
      forgotten: (prefix) => void this.#journal.queueChange(formatPrefix(prefix)),
    });
  }

  async open({ config, dataDir, stallMs = daemonBounds.banStallMs, onFault = () => {} }: BansOptions): Promise<void> {
    const path = join(dataDir, 'bans.sqlite');
    const complain = createComplainer(onFault);
    this.#journal = await Journal.open(openStore(path), {
      row: (ip) => {
        const record = this.#table.get(readPrefix(ip) as Prefix);
        return record && toRow(record, this.#evidence.textOf(ip));
      },
      everything: () => this.#everything(),
      restore: (record) => this.#restore(record),
      loaded: () => {
        if (!this.#isOpen) return;
        this.#dropEndedEvidence();
        this.#notify({ kind: 'restored' });
      },
      unreadable: (count) => {
        this.#unreadableRows += count;
      },
      fault: onFault,
      failed: (problem) => {
        // With `refuse`, the error of the start has the problem.
        if (this.#isOpen || config.bans.on_error === 'serve') complain(problem);
      },
      stallMs,
    });
    if (!this.#journal.isLoaded && config.bans.on_error === 'refuse')
      throw new UnreadableStore(path, this.#journal.failure, await this.close());
    this.#expiry.sweep();
    this.#isOpen = true;
    this.#dropEndedEvidence();
  }

  /** Drops evidence from the memory and the store. */
  #dropEvidence(ip: string): void {
    if (this.#evidence.delete(ip)) void this.#journal.queueChange(ip);
  }

  /** Drops the evidence of stored bans that ended while the daemon was not running. */
  #dropEndedEvidence(): void {
    const now = this.#now();
    for (const ip of this.#evidence.keys()) {
      const record = this.#table.get(readPrefix(ip) as Prefix);
      if (!record || record.expiresAt <= now) this.#dropEvidence(ip);
    }
  }

  *#everything(): Generator<string> {
    for (const { prefix } of this.#table.all()) yield formatPrefix(prefix);
  }

  /** Adds a record of the store to the table. Returns false when the address is exempt now, or nothing is detected. */
  #restore(record: StoredBan): boolean {
    const existing = this.#table.get(record.prefix);
    if ((!existing && this.#table.size >= daemonBounds.bans) || isTooWide(record.prefix)) {
      this.#unreadableRows++;
      return true;
    }
    if (this.#exempt.covers(record.prefix) || (isDetected(record) && !this.#detects)) return false;
    const now = this.#now();
    const merged = existing ? strongerOf(existing, record, now) : record;
    this.#table.restore(merged, now);
    if (!existing && record.evidence !== null) this.#evidence.set(formatPrefix(record.prefix), record.evidence);
    if (this.#isOpen) this.#expiry.expect(merged.expiresAt); // `open` sweeps after it has set the journal
    return true;
  }

  #notify(change: BanChange): void {
    const isOfDetected = change.kind !== 'restored' && change.ban.isDetected;
    if (!isOfDetected) for (const listener of this.#listeners) listener(change);
    for (const listener of this.#allListeners) listener(change);
  }

  readonly add = async (request: BanRequest): Promise<BanOutcome> => {
    const prefix = readPrefix(request.ip);
    if (!prefix || isTooWide(prefix) || isUnspecified(prefix)) return refusedOutcome('bad_address');
    const now = this.#now();
    this.#exempt.refresh(now);
    if (this.#exempt.covers(prefix)) return refusedOutcome('never_ban');
    if (!request.force && this.#edges.refuses(prefix, request)) return refusedOutcome('edge');
    const found = this.#table.get(prefix);
    if (!found && !this.#makeRoom()) return refusedOutcome('too_many');
    const onlyDetects = this.#detects && request.isAutomatic === true;
    const { state, kept, isLonger, isCovered } = decide(found, request, { terms: this.#terms, onlyDetects, now });
    if (isCovered && kept) return { ok: true, ban: toBan(kept), isDurable: true };
    // Queue a write even when the existing ban stays: the write fails if the file that contains it was removed.
    const ip = formatPrefix(prefix);
    const origin = storedOrigin(request.origin, onlyDetects);
    const record = kept ?? this.#enforce({ prefix, bannedAt: now, ...state, origin }, request, !isLonger);
    const isOverruling = request.replace && (!isLonger || !this.#journal.isLoaded);
    const isDurable = await this.#journal.queueChange(ip, isOverruling);
    return { ok: true, ban: toBan(record), isDurable };
  };

  #enforce(state: Omit<BanRecord, 'reason' | 'service'>, request: BanRequest, isShorter: boolean): BanRecord {
    const reason = cutBytes(request.reason, daemonBounds.banReasonBytes);
    const record = { ...state, reason, service: request.service ?? null };
    this.#table.set(record);
    const dropped = this.#evidence.set(formatPrefix(state.prefix), request.evidence ?? null);
    if (dropped !== undefined) void this.#journal.queueChange(dropped);
    this.#expiry.expect(record.expiresAt);
    this.#notify({ kind: 'banned', ban: toBan(record), ...(isShorter && { isShorter }) });
    return record;
  }

  /** Whether there is room for one more ban. Forgets ended bans if necessary. */
  #makeRoom(): boolean {
    if (this.#table.size < daemonBounds.bans) return true;
    if (this.#table.activeCount >= daemonBounds.bans) return false;
    for (const prefix of this.#table.forgetEnded(daemonBounds.bansEndedAtOnce))
      void this.#journal.queueChange(formatPrefix(prefix));
    return true;
  }

  readonly remove = async (ip: string): Promise<LiftedBan | undefined> => {
    const prefix = readPrefix(ip);
    const record = prefix && this.#table.get(prefix);
    if (!record || record.expiresAt <= this.#now()) return undefined;
    const ban = this.#lift(record);
    return { ban, isDurable: await this.#journal.queueChange(ban.ip, true) };
  };

  readonly clear: Bans['clear'] = async () => {
    const writes: Promise<boolean>[] = [];
    for (const record of this.#table.matchingBans(() => true, this.#now)) {
      writes.push(this.#journal.queueChange(this.#lift(record).ip, true));
      if (writes.length % daemonBounds.bansEndedAtOnce === 0) await nextTurn();
    }
    const stored = await Promise.all(writes);
    return { count: stored.length, isDurable: stored.every(Boolean) };
  };

  /** Lifts a ban and deletes its level: the next ban of the address has the first duration again. */
  #lift(record: BanRecord): Ban {
    this.#table.delete(record.prefix);
    const ban = toBan(record);
    this.#evidence.delete(ban.ip);
    this.#notify({ kind: 'unbanned', ban, why: 'lifted' });
    return ban;
  }

  readonly checkClock = (): void => {
    const step = this.#readClockStep();
    if (step > 0) this.#expiry.sweep();
    else if (step < 0) this.#notify({ kind: 'restored' });
  };

  readonly watch = (listener: BanListener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly watchAll = (listener: BanListener): (() => void) => {
    this.#allListeners.add(listener);
    return () => this.#allListeners.delete(listener);
  };

  readonly refusesEdge = (prefix: Prefix, source: EdgeSource) => this.#edges.refuses(prefix, source);

  readonly sparedEdges = () => this.#edges.count;

  readonly store = () => this.#journal.state();

  readonly problems = (): readonly string[] => {
    const unreadable =
      this.#unreadableRows === 0
        ? []
        : [`${this.#unreadableRows} rows of the ban store could not be read and were skipped`];
    const full =
      this.#table.activeCount < daemonBounds.bans
        ? []
        : [`the table of bans is full (${daemonBounds.bans}): new bans are refused`];
    return [...this.#journal.problems(), ...this.#edges.problems(), ...unreadable, ...full];
  };

  readonly configure = (config: Daemon): void => {
    this.#terms = termsOf(config);
    this.#edges.refresh();
    this.#unreadableRows = 0;
    this.#journal.acknowledge();
    const isOther = this.#exempt.configure(config.global.never_ban);
    const endsDetection = this.#detects && config.bans.mode === 'enforce';
    this.#detects = config.bans.mode === 'detect';
    if (isOther || endsDetection) void this.#liftUnwanted(this.#exempt.withoutAllowed());
  };

  readonly exempt = (networks: readonly string[]): void => {
    this.#exempt.allow(networks);
    if (this.#isOpen) this.#notify({ kind: 'restored' });
  };

  /**
   * Lifts the bans of exempt addresses, and detected bans when all are enforced, in several turns of the event loop.
   * Exempt addresses are admitted even before their ban is lifted.
   */
  async #liftUnwanted(exempt: Exempt): Promise<void> {
    const isUnwanted = (prefix: Prefix, isDetectedBan: boolean): boolean =>
      (isDetectedBan && !this.#detects) || exempt.covers(prefix);
    let lifted = 0;
    for (const record of this.#table.matchingBans(isUnwanted, this.#now)) {
      void this.#journal.queueChange(this.#lift(record).ip, true);
      if (++lifted % daemonBounds.bansEndedAtOnce === 0) await nextTurn();
      if (!this.#isOpen) return; // a lift would not be stored
    }
  }

  readonly close = async (): Promise<boolean> => {
    this.#isOpen = false;
    this.#expiry.stop();
    return this.#journal.close();
  };
}

/** @throws UnreadableStore when the stored bans cannot be read, unless `bans.on_error` is `serve` */
export async function createBans(options: BansOptions): Promise<ConfigurableBans> {
  const bans = new StoredBans(options);
  await bans.open(options);
  return { ...bans.view, ...bans };
}
