/** Follows the decision stream: everything once, then what changed, and everything again whenever that is in doubt. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { hasPassed } from '../time/clock.ts';
import type { Holdings, LapiResponse } from './holdings.ts';
import { backoff, jittered, pause } from './pause.ts';

/** Full answers in a row that have to agree before one is believed that halves what is held. */
const believedAfter = 3;
/** Failures in a row before the feed counts as stale: one may be a restart of the service. */
const staleAfter = 3;
/** Two sizes agree when they differ by less: decisions come and go between two answers. */
const agreement = 0.1;

export interface FollowerOptions {
  readonly holdings: Holdings;
  /** Asks once; throws. */
  readonly fetchDecisions: (isStartup: boolean) => Promise<LapiResponse>;
  /** Between two polls that went well. */
  readonly intervalMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** Called after every answer that was applied. */
  readonly onApplied: () => Promise<void>;
}

export class Follower {
  readonly #options: FollowerOptions;
  #failures = 0;
  #lastError: string | null = null;
  #lastSuccess: number | null = null;
  /** When everything was last asked for and believed; undefined: it has to be asked for now. */
  #fullAt: number | undefined;
  /** Answers in a row that agree and were not believed yet. */
  #doubted: { readonly size: number; readonly at: number }[] = [];

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  state(): { status: 'healthy' | 'stale' | 'starting'; lastSuccess: number | null; lastError: string | null } {
    const [lastSuccess, lastError] = [this.#lastSuccess, this.#lastError];
    if (this.#failures >= staleAfter) return { status: 'stale', lastSuccess, lastError };
    return { status: lastSuccess === null ? 'starting' : 'healthy', lastSuccess, lastError };
  }

  /** Polls until the signal is aborted. Never throws. */
  async run(): Promise<void> {
    const { signal, intervalMs } = this.#options;
    const first = Math.min(intervalMs, daemonBounds.feedRetryMs);
    while (!signal.aborted) {
      await this.#poll();
      const isWell = this.#failures === 0;
      await pause(
        isWell ? jittered(intervalMs, 0.9) : backoff(this.#failures, first, daemonBounds.feedRetryMs),
        signal,
      );
    }
  }

  async #poll(): Promise<void> {
    const { fetchDecisions, now, signal } = this.#options;
    const isStartup = this.#fullAt === undefined || hasPassed(daemonBounds.feedResyncMs, this.#fullAt, now());
    try {
      const answer = await fetchDecisions(isStartup);
      await this.#apply(answer, isStartup);
    } catch (error) {
      if (!signal.aborted) this.#fail(error as Error);
    }
  }

  async #apply(answer: LapiResponse, isStartup: boolean): Promise<void> {
    const { holdings, now } = this.#options;
    if (isStartup && !this.#believes(answer)) {
      await holdings.merge(answer);
      throw new Error('its answer lacks more than half of what is held, and is asked for again');
    }
    const refused = await (isStartup ? holdings.replace(answer) : holdings.merge(answer));
    if (refused > 0)
      this.#options.log(
        `threat feed: ${refused} decisions do not fit or are on too wide a network, and are not enforced`,
      );
    if (isStartup) this.#fullAt = now();
    this.#succeed();
    await this.#options.onApplied();
  }

  /** A service whose database fails answers 200 with a short list, and goes on so until somebody has mended it. */
  #believes(answer: LapiResponse): boolean {
    const { fresh } = answer;
    if (!this.#options.holdings.isHalved(answer)) {
      this.#doubted = [];
      return true;
    }
    const at = this.#options.now();
    const agrees = ({ size }: { size: number }) =>
      Math.abs(size - fresh.size) <= Math.max(size, fresh.size) * agreement;
    this.#doubted = [...this.#doubted.filter(agrees), { size: fresh.size, at }];
    const [first] = this.#doubted;
    const isLong = first !== undefined && at - first.at >= daemonBounds.feedDoubtMs;
    if (!isLong || this.#doubted.length < believedAfter) return false;
    this.#doubted = [];
    return true;
  }

  #succeed(): void {
    if (this.#failures >= staleAfter) this.#options.log('threat feed: the service answers again');
    this.#failures = 0;
    this.#lastError = null;
    this.#lastSuccess = this.#options.now();
  }

  /** What was missed in between is unknown, so that the next answer has to be everything. */
  #fail(error: Error): void {
    this.#fullAt = undefined;
    this.#failures++;
    if (this.#lastError !== error.message) this.#options.log(`threat feed: ${error.message}`);
    this.#lastError = error.message;
  }
}
