/** Unsent changes of bans: the last one of each address, bounded in number, in memory and on disk. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Bans, StoreState } from '../bans/ban.ts';
import { BacklogFile, type Change, deletes, readBacklog } from './backlog-file.ts';
import { type Complain, complainer } from './complainer.ts';

export interface BacklogOptions {
  readonly dataDir: string;
  readonly bans: Pick<Bans, 'list' | 'store'>;
  readonly now: () => number;
  /** One line for the operator. */
  readonly log: (message: string) => void;
}

/** A ban after an unsent change: the LAPI still has the decision that this change would delete. */
const after = (earlier: Change | undefined, change: Change): Change =>
  change.kind === 'banned' && earlier && deletes(earlier) ? { ...change, replaces: true } : change;

export class Backlog {
  /** A change replaces the earlier one of its address. */
  readonly #pending = new Map<string, Change>();
  readonly #file: BacklogFile;
  readonly #complain: Complain;

  constructor(changes: readonly Change[], { dataDir, now, log }: BacklogOptions) {
    this.#complain = complainer(log);
    const complain = (problem: string) =>
      this.#complain(problem && `threat feed: cannot store unsent bans on disk (${problem})`);
    this.#file = new BacklogFile({ dataDir, now, everything: () => this.#pending.values(), complain });
    for (const change of changes.slice(-daemonBounds.pushPending)) this.#pending.set(change.ban.ip, change);
    this.#file.write({ settled: [] });
  }

  get size(): number {
    return this.#pending.size;
  }

  problems(): readonly string[] {
    return this.#complain.problems();
  }

  /** Oldest first. */
  [Symbol.iterator](): IterableIterator<Change> {
    return this.#pending.values();
  }

  /** Whether the decision on exactly this address or network is still to be deleted. */
  isDeleting(ip: string): boolean {
    const change = this.#pending.get(ip);
    return change !== undefined && deletes(change);
  }

  /** Returns the evicted change: the oldest, when there are too many. */
  add(latest: Change): Change | undefined {
    const { ip } = latest.ban;
    const change = after(this.#pending.get(ip), latest);
    this.#pending.delete(ip);
    this.#pending.set(ip, change);
    this.#file.write(change);
    const [oldest] = this.#pending.values();
    if (!oldest || this.#pending.size <= daemonBounds.pushPending) return undefined;
    this.settle([oldest]);
    return oldest;
  }

  /** Moves a change to the end. */
  defer(change: Change): void {
    const { ip } = change.ban;
    if (this.#pending.get(ip) !== change) return;
    this.#pending.delete(ip);
    this.#pending.set(ip, change);
  }

  /** Removes changes, except of addresses that have changed again. Returns how many. */
  settle(changes: readonly Change[]): number {
    const settled = changes.map(({ ban }) => ban.ip).filter((ip, at) => this.#pending.get(ip) === changes[at]);
    for (const ip of settled) this.#pending.delete(ip);
    if (settled.length > 0) this.#file.write({ settled });
    return settled.length;
  }

  /** See `BacklogFile`. */
  stored(): Promise<void> {
    return this.#file.stored();
  }

  close(): void {
    this.#file.close();
  }
}

/** The most prefixes that cover an address, including itself. */
const mostCovering = 129;

/** States of the ban store in which bans of the previous run can be missing. */
const unknown: ReadonlySet<StoreState> = new Set(['unread', 'stalled']);

/** What is still current of a change of the previous run: later changes may have been lost. Undefined: nothing. */
function current(change: Change, bans: Pick<Bans, 'list' | 'store'>): Change | undefined {
  if (unknown.has(bans.store())) return change;
  const { kind, ban, replaces } = change;
  const isHeld = bans.list({ limit: mostCovering, ip: ban.ip }).bans.some(({ ip }) => ip === ban.ip);
  if (isHeld === (kind === 'banned')) return change;
  return replaces && { kind: 'lifted', ban };
}

/** Opens the backlog with the unsent changes of the previous run. */
export function openBacklog(options: BacklogOptions): Backlog {
  const { dataDir, bans, log } = options;
  try {
    const { changes, damaged } = readBacklog(dataDir);
    if (damaged > 0) log(`threat feed: cannot read ${damaged} lines of the unsent bans of the previous run`);
    const left = changes.flatMap((change) => current(change, bans) ?? []);
    return new Backlog(left, options);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    log(`threat feed: cannot read the unsent bans of the previous run (${code ?? message})`);
    return new Backlog([], options);
  }
}
