/** Unsent changes of bans, in memory and on disk. Keeps only the last change of each address. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { mostCoveringPrefixes } from '../address/prefix-map.ts';
import type { Bans, StoreState } from '../bans/ban.ts';
import { BacklogFile, type Change, deletesDecision, readBacklog } from './backlog-file.ts';

/**
 * Combines two unsent changes of an address. If the first one deletes a decision, the LAPI must delete this decision
 * before a new ban.
 */
const combineChanges = (earlier: Change | undefined, change: Change): Change =>
  change.kind === 'banned' && earlier && deletesDecision(earlier) ? { ...change, replaces: true } : change;

/** States of the ban store in which bans of the previous run may be missing. */
const incompleteStates: ReadonlySet<StoreState> = new Set(['unread', 'stalled']);

/**
 * Returns the part of an earlier change that must still be sent, or undefined when there is none. The file
 * may lack later changes, so this compares the change with the bans in force.
 */
function currentPart(change: Change, bans: Pick<Bans, 'list' | 'store'>): Change | undefined {
  if (incompleteStates.has(bans.store())) return change;
  const { kind, ban, replaces } = change;
  const isHeld = bans
    .list({ limit: mostCoveringPrefixes, ip: ban.ip })
    .bans.some(({ ip, isDetected }) => ip === ban.ip && !isDetected);
  if (isHeld === (kind === 'banned')) return change;
  return replaces && { kind: 'lifted', ban };
}

interface BacklogOptions {
  readonly dataDir: string;
  readonly bans: Pick<Bans, 'list' | 'store'>;
  readonly log: (message: string) => void;
}

/** Outlives the push that sends the changes: what the disk refused is only here. */
export class Backlog {
  readonly #options: BacklogOptions;
  /** The unsent changes by address. */
  readonly #pending = new Map<string, Change>();
  readonly #file: BacklogFile;
  #isRead = false;

  constructor(options: BacklogOptions) {
    this.#options = options;
    const { dataDir, log } = options;
    this.#file = new BacklogFile({ dataDir, everything: () => this.#pending.values(), log });
  }

  /** Starts with the changes that the previous run, or the previous push of this one, did not send. */
  open(): void {
    const unsent = this.#isRead ? [...this.#pending.values()] : this.#read();
    this.#isRead = true;
    this.#pending.clear();
    const current = unsent.flatMap((change) => currentPart(change, this.#options.bans) ?? []);
    for (const change of current.slice(-daemonBounds.pushPending)) this.#pending.set(change.ban.ip, change);
    this.#file.rewrite();
  }

  #read(): readonly Change[] {
    const { dataDir, log } = this.#options;
    try {
      const { changes, damaged } = readBacklog(dataDir);
      if (damaged > 0) log(`threat feed: cannot read ${damaged} lines of the unsent bans of the previous run`);
      return changes;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      log(`threat feed: cannot read the unsent bans of the previous run (${code ?? message})`);
      return [];
    }
  }

  get size(): number {
    return this.#pending.size;
  }

  problems(): readonly string[] {
    return this.#file.problems();
  }

  /** Iterates oldest first. Deferred changes are last. */
  [Symbol.iterator](): IterableIterator<Change> {
    return this.#pending.values();
  }

  /** Whether the decision on exactly this address or network is not deleted yet. */
  isDeleting(ip: string): boolean {
    const change = this.#pending.get(ip);
    return change !== undefined && deletesDecision(change);
  }

  /** Adds a change. When there are too many, evicts the oldest and returns it. */
  add(latest: Change): Change | undefined {
    const { ip } = latest.ban;
    const change = combineChanges(this.#pending.get(ip), latest);
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

  /** Removes changes, unless their address has changed again. Returns the number of removed changes. */
  settle(changes: readonly Change[]): number {
    const settled = changes.map(({ ban }) => ban.ip).filter((ip, at) => this.#pending.get(ip) === changes[at]);
    for (const ip of settled) this.#pending.delete(ip);
    if (settled.length > 0) this.#file.write({ settled });
    return settled.length;
  }

  untilStored(): Promise<boolean> {
    return this.#file.untilStored();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
