/** Changes of own bans that wait to be sent: of each address the last, so many and no more, and also on disk. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Bans } from '../bans/ban.ts';
import { BacklogFile, type Change, readBacklog } from './backlog-file.ts';

export interface BacklogOptions {
  readonly dataDir: string;
  readonly bans: Pick<Bans, 'list'>;
  readonly now: () => number;
  /** One line for the operator. */
  readonly log: (message: string) => void;
}

export class Backlog {
  /** What came for an address before its last change no longer counts. */
  readonly #pending = new Map<string, Change>();
  readonly #file: BacklogFile;

  constructor(changes: readonly Change[], { dataDir, now, log }: BacklogOptions) {
    let last = '';
    const complain = (problem: string): void => {
      if (problem !== last && problem !== '') log(`threat feed: bans to send cannot be kept on disk (${problem})`);
      last = problem;
    };
    this.#file = new BacklogFile({ dataDir, now, everything: () => this.#pending.values(), complain });
    for (const change of changes.slice(-daemonBounds.pushPending)) this.#pending.set(change.ban.ip, change);
    this.#file.write({ settled: [] });
  }

  get size(): number {
    return this.#pending.size;
  }

  /** The oldest first. */
  [Symbol.iterator](): IterableIterator<Change> {
    return this.#pending.values();
  }

  /** Returns the change that had to go for it: the oldest, when there are too many. */
  add(change: Change): Change | undefined {
    const { ip } = change.ban;
    this.#pending.delete(ip);
    this.#pending.set(ip, change);
    this.#file.write(change);
    const [oldest] = this.#pending.values();
    if (!oldest || this.#pending.size <= daemonBounds.pushPending) return undefined;
    this.settle([oldest]);
    return oldest;
  }

  /** Others get their turn before it. */
  defer(change: Change): void {
    const { ip } = change.ban;
    if (this.#pending.get(ip) !== change) return;
    this.#pending.delete(ip);
    this.#pending.set(ip, change);
  }

  /** Takes changes away, but none of an address that has another since; returns how many. */
  settle(changes: readonly Change[]): number {
    const settled = changes.map(({ ban }) => ban.ip).filter((ip, at) => this.#pending.get(ip) === changes[at]);
    for (const ip of settled) this.#pending.delete(ip);
    if (settled.length > 0) this.#file.write({ settled });
    return settled.length;
  }

  close(): void {
    this.#file.close();
  }
}

/** Prefixes that can cover an address, and itself. */
const mostCovering = 129;

/** Whether a change of an earlier run is how things are: when nothing was sent for long, others came after it. */
function isTrueStill({ kind, ban: { ip } }: Change, bans: Pick<Bans, 'list'>): boolean {
  const isHeld = bans.list({ limit: mostCovering, ip }).bans.some((ban) => ban.ip === ip);
  return isHeld === (kind === 'banned');
}

/** With what an earlier run did not send. */
export function openBacklog(options: BacklogOptions): Backlog {
  const { dataDir, bans, log } = options;
  try {
    const { changes, damaged } = readBacklog(dataDir);
    if (damaged > 0) log(`threat feed: ${damaged} lines of bans that the last run did not send cannot be read`);
    const left = changes.filter((change) => isTrueStill(change, bans));
    return new Backlog(left, options);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    log(`threat feed: bans that the last run did not send cannot be read (${code})`);
    return new Backlog([], options);
  }
}
