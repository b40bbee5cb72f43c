/**
 * Follows the decision stream. Requests all decisions first, then only changes. Requests all decisions again after a
 * failure, and from time to time.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { hasPassed } from '../time/clock.ts';
import { backoff, jittered, pause } from '../time/pause.ts';
import type { Holdings, LapiResponse } from './holdings.ts';

/** The least number of agreeing full responses in a row before a list that lacks more than half is applied. */
const agreeingResponses = 3;
/** The number of consecutive failures after which the feed is stale. A restart of the LAPI causes only one. */
export const staleAfter = 3;
/**
 * Two responses agree when their sizes differ by at most a tenth or 100: decisions come and go between them. A LAPI
 * whose database fails midway omits whole pages of 30,000.
 */
const agreementShare = 0.1;
const agreementCount = 100;

interface FollowerOptions {
  readonly holdings: Holdings;
  readonly fetchDecisions: (isStartup: boolean) => Promise<LapiResponse>;
  /** The longest pause after a successful poll, in milliseconds. */
  readonly intervalMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  readonly recovered: (message: string) => void;
  readonly onApplied: () => void;
}

export class Follower {
  readonly #options: FollowerOptions;
  #failures = 0;
  #lastError: string | null = null;
  #lastSuccess: number | null = null;
  /** The number in the last message of decisions that are not enforced. */
  #reportedRefusals = 0;
  /** The time of the last message that the feed is stale. */
  #remindedAt = Number.NEGATIVE_INFINITY;
  /** When everything was last requested and applied. Undefined: the next request asks for everything. */
  #fullAt: number | undefined;
  /**
   * Consecutive full responses that agree, but did not replace the decisions in force because they are suspiciously
   * short.
   */
  #doubtedResponses: { readonly size: number; readonly at: number }[] = [];

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  state(): { status: 'healthy' | 'stale' | 'starting'; lastSuccess: number | null; lastError: string | null } {
    const [lastSuccess, lastError] = [this.#lastSuccess, this.#lastError];
    if (this.#failures >= staleAfter) return { status: 'stale', lastSuccess, lastError };
    return { status: lastSuccess === null ? 'starting' : 'healthy', lastSuccess, lastError };
  }

  problems(): readonly string[] {
    const { status, lastError } = this.state();
    return status === 'stale' ? [`threat feed: stale: ${lastError}`] : [];
  }

  /** Polls until the signal is aborted. Never rejects. */
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
      const response = await fetchDecisions(isStartup);
      await this.#apply(response, isStartup);
    } catch (error) {
      if (!signal.aborted) this.#fail(error as Error);
    }
  }

  async #apply(response: LapiResponse, isStartup: boolean): Promise<void> {
    const { holdings, now, signal } = this.#options;
    if (isStartup && !(await this.#checkFullResponse(response))) {
      await holdings.merge(response, signal);
      throw new Error(
        'the full response of the LAPI lacks more than half of the decisions and was not applied; requesting it again',
      );
    }
    const { omitted = 0 } = response;
    const change = isStartup ? holdings.replace(response, signal) : holdings.merge(response, signal);
    const refused = omitted + (await change);
    if (signal.aborted) return;
    // Lists repeat their decisions, and most polls change nothing: a message follows only when the number changes.
    const isNews = refused > 0 && refused !== this.#reportedRefusals;
    if (isStartup || refused > 0) this.#reportedRefusals = refused;
    if (isNews)
      this.#options.log(
        `threat feed: ${refused} decisions are not enforced: the table is full, their network is too wide, or one address has too many`,
      );
    if (isStartup) this.#fullAt = now();
    this.#succeed();
    this.#options.onApplied();
  }

  /**
   * Returns whether a full response may replace the decisions in force. Records it otherwise. While the database of a
   * LAPI fails, the LAPI returns 200 with a short list.
   */
  async #checkFullResponse(response: LapiResponse): Promise<boolean> {
    const { fresh } = response;
    if (!(await this.#options.holdings.isHalved(response))) {
      this.#doubtedResponses = [];
      return true;
    }
    const at = this.#options.now();
    // Responses in the future came before the clock was set back. They no longer count.
    const agrees = (one: { size: number; at: number }) =>
      one.at <= at &&
      Math.abs(one.size - fresh.size) <= Math.max(agreementCount, Math.max(one.size, fresh.size) * agreementShare);
    this.#doubtedResponses = [...this.#doubtedResponses.filter(agrees), { size: fresh.size, at }];
    const [first] = this.#doubtedResponses;
    const isLong = first !== undefined && at - first.at >= daemonBounds.feedDoubtMs;
    if (!isLong || this.#doubtedResponses.length < agreeingResponses) return false;
    this.#doubtedResponses = [];
    return true;
  }

  #succeed(): void {
    if (this.#failures >= staleAfter) this.#options.recovered('threat feed: the LAPI responds again');
    this.#failures = 0;
    this.#remindedAt = Number.NEGATIVE_INFINITY;
    this.#lastError = null;
    this.#lastSuccess = this.#options.now();
  }

  /** Handles a failure. Changes may have been missed, so the next request asks for everything. */
  #fail(error: Error): void {
    this.#fullAt = undefined;
    this.#failures++;
    if (this.#lastError !== error.message) this.#options.log(`threat feed: ${error.message}`);
    this.#lastError = error.message;
    this.#remind();
  }

  /** Logs that the feed is stale. The alert rule in observability/grafana matches this message. */
  #remind(): void {
    const now = this.#options.now();
    if (this.#failures < staleAfter || !hasPassed(daemonBounds.feedReminderMs, this.#remindedAt, now)) return;
    this.#remindedAt = now;
    this.#options.log('threat feed: stale: the last decisions remain in force until they expire');
  }
}
