/** Sends bans to the LAPI, and deletes the decisions of lifted bans. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { type Complain, createComplainer } from '../audit/complainer.ts';
import type { Ban, Bans } from '../bans/ban.ts';
import { backoff, pause } from '../time/pause.ts';
import { alertOf, deletionOf, isDeletable } from './alert.ts';
import type { Backlog } from './backlog.ts';
import { type Change, deletesDecision } from './backlog-file.ts';
import { staleAfter } from './follower.ts';
import type { Holdings } from './holdings.ts';
import { createSender, type Send } from './machine.ts';
import { ServiceError } from './service.ts';

interface PushOptions {
  readonly config: Daemon;
  readonly backlog: Backlog;
  readonly bans: Pick<Bans, 'watch' | 'spares'>;
  readonly decisions: Pick<Holdings, 'lift' | 'refuseWhere'>;
  readonly now: () => number;
  readonly log: (message: string) => void;
}

export interface Push {
  /** The number of changes that were not sent yet. */
  readonly pending: () => number;
  /** The number of changes that will not be sent: there were too many, or the LAPI refused them. */
  readonly dropped: () => number;
  readonly problems: () => readonly string[];
  /** Resolves when the changes are on disk, or when they stay in memory because the disk fails. */
  readonly stored: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const firstRetryMs = 1000;

/** Statuses with which the LAPI refuses the change itself. Other statuses may be temporary, or come from a proxy. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

class Pusher {
  readonly #options: PushOptions;
  readonly #send: Send;
  readonly #backlog: Backlog;
  readonly #complain: Complain;
  dropped = 0;
  #failures = 0;
  /** Ends the wait of `run` for changes. */
  #wake: () => void = () => undefined;

  constructor(options: PushOptions, send: Send) {
    this.#options = options;
    this.#backlog = options.backlog;
    this.#send = send;
    this.#complain = createComplainer(options.log);
    for (const change of this.#backlog) this.#lift(change);
  }

  /** Reports problems only while changes wait for a LAPI that keeps failing, or are not on disk. */
  problems(): readonly string[] {
    const isStuck = this.#failures >= staleAfter && this.#backlog.size > 0;
    return [...(isStuck ? this.#complain.problems() : []), ...this.#backlog.problems()];
  }

  add(change: Change): void {
    if (this.#backlog.add(change)) this.dropped++;
    this.#lift(change);
    this.#wake();
  }

  /** Ends the decision of a lifted ban in this daemon, before the LAPI has deleted it. */
  #lift(change: Change): void {
    if (deletesDecision(change)) this.#options.decisions.lift(change.ban.ip, isDeletable);
  }

  #hasEnded({ expiresAt }: Ban): boolean {
    return expiresAt !== null && expiresAt <= this.#options.now();
  }

  /**
   * The oldest changes: either one change that deletes a decision, or at most `pushBatch` bans. After a failure only
   * one change, because it may be the cause.
   */
  #batch(): Change[] {
    const most = this.#failures > 0 ? 1 : daemonBounds.pushBatch;
    const batch: Change[] = [];
    for (const change of this.#backlog) {
      const isAlone = deletesDecision(change);
      if (!isAlone && this.#hasEnded(change.ban)) this.#backlog.settle([change]);
      else if (batch.length === most || (isAlone && batch.length > 0)) break;
      else batch.push(change);
      if (isAlone) break;
    }
    return batch;
  }

  async #deliver(batch: readonly Change[]): Promise<void> {
    const [first] = batch as [Change];
    if (deletesDecision(first)) await this.#send('DELETE', deletionOf(first.ban));
    const bans = batch.filter(({ kind, ban }) => kind === 'banned' && !this.#hasEnded(ban));
    if (bans.length === 0) return;
    const now = this.#options.now();
    await this.#send(
      'POST',
      'alerts',
      bans.map(({ ban }) => alertOf(ban, now)),
    );
  }

  /** Sends changes until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const batch = this.#batch();
      if (batch.length === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      try {
        await this.#deliver(batch);
        this.#backlog.settle(batch);
        this.#failures = 0;
        // Report the problem until no change is pending: a change that failed may fail again.
        if (this.#backlog.size === 0) this.#complain('');
      } catch (error) {
        if (!signal.aborted) await this.#fail(batch, error as Error, signal);
      }
    }
  }

  async #fail(batch: readonly Change[], error: Error, signal: AbortSignal): Promise<void> {
    this.#complain(`threat feed: cannot send bans: ${error.message}`);
    const isRefused = error instanceof ServiceError && refusals.has(error.status);
    if (isRefused && batch.length === 1) this.dropped += this.#backlog.settle(batch);
    // Send other changes first, because one of these may cause the failure.
    else for (const change of batch) this.#backlog.defer(change);
    this.#failures++;
    await pause(backoff(this.#failures, firstRetryMs, daemonBounds.feedRetryMs), signal);
  }
}

/** Starts with the unsent changes of the previous push or run. */
export function startPush(options: PushOptions): Push {
  const end = new AbortController();
  const { signal } = end;
  const { backlog } = options;
  backlog.open();
  const pusher = new Pusher(options, createSender(options.config.threatfeed, signal));
  const unwatch = options.bans.watch((change) => {
    if (change.kind === 'banned') {
      const { ban, isShorter } = change;
      if (options.bans.spares(ban.ip)) return; // other bouncers would enforce it for the exempt addresses too
      pusher.add({ kind: 'banned', ban, ...(isShorter && { replaces: true }) });
    } else if (change.kind === 'unbanned' && change.why === 'lifted') pusher.add({ kind: 'lifted', ban: change.ban });
  });
  // The LAPI still returns decisions whose deletion was not sent yet.
  const acceptAll = options.decisions.refuseWhere(
    (decision) => isDeletable(decision) && backlog.isDeleting(decision.ip),
  );
  const work = pusher.run(signal);
  return {
    pending: () => backlog.size,
    dropped: () => pusher.dropped,
    problems: () => pusher.problems(),
    stored: () => backlog.untilStored(),
    close: async () => {
      acceptAll();
      end.abort();
      await work;
      await backlog.close();
      unwatch(); // last, so that the next push misses no ban
    },
  };
}

/** Makes `add` and `remove` also wait until the change for the LAPI is on disk. `push`: undefined without a LAPI. */
export function untilStoredForLapi(bans: Bans, push: () => Push | undefined): Bans {
  const kept = async <Outcome>(change: Promise<Outcome>): Promise<Outcome> => {
    const [outcome] = await Promise.all([change, push()?.stored()]);
    return outcome;
  };
  return { ...bans, add: (request) => kept(bans.add(request)), remove: (ip) => kept(bans.remove(ip)) };
}
