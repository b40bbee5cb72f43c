/** The decisions in force. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { NetworkIndex } from '../address/network-index.ts';
import { isTooWide, type Prefix, readPrefix } from '../address/prefix.ts';
import type { KeyedDecision } from './decision.ts';
import type { Decision } from './feed.ts';
import { decisionsPerTurn, endedPerCall, nextTurn } from './turn.ts';

interface HeldDecision extends KeyedDecision {
  /** The position for paging. It grows with each new key. */
  readonly order: number;
}

const decisionsOf = (held: readonly HeldDecision[] = []): readonly Decision[] => held.map(({ decision }) => decision);

export interface LapiResponse {
  readonly fresh: ReadonlyMap<string, KeyedDecision>;
  readonly deleted: Pick<ReadonlySet<string>, 'has' | 'keys'>;
  /** The number of decisions that did not fit into `fresh`. Default: 0. */
  readonly omitted?: number;
}

type Rank = Pick<Decision, 'type' | 'expiresAt'>;

/** Whether `a` applies before `b`: bans apply first, then the decision that lasts longest. */
export function isBetter(a: Rank, b: Rank): boolean {
  const [isBan, wasBan] = [a.type === 'ban', b.type === 'ban'];
  return isBan === wasBan ? a.expiresAt > b.expiresAt : isBan;
}

const nothingRefused: (decision: Decision) => boolean = () => false;

/** Called with the decisions of an address or network after a change. Some may have ended. */
type PrefixListener = (ip: string, decisions: readonly Decision[]) => void;

export class Holdings {
  readonly #listeners = new Set<PrefixListener>();
  readonly #now: () => number;
  readonly #isSpared: (decision: KeyedDecision) => boolean;
  #isRefused = nothingRefused;
  readonly #decisions = new Map<string, HeldDecision>();
  readonly #index = new NetworkIndex<readonly HeldDecision[]>();
  #order = 0;
  /** When ended decisions are removed next. Not later than the first one ends. */
  #nextEnd = Number.POSITIVE_INFINITY;

  /** Decisions for which `isSpared` returns true are never added. */
  constructor(now: () => number, isSpared: (decision: KeyedDecision) => boolean = () => false) {
    this.#now = now;
    this.#isSpared = isSpared;
  }

  /** Decisions for which `isRefused` returns true are not added until the returned function is called. */
  refuseWhere(isRefused: (decision: Decision) => boolean): () => void {
    this.#isRefused = isRefused;
    return () => {
      this.#isRefused = nothingRefused;
    };
  }

  /** The number of decisions in memory. When many have ended, a call removes only some and counts the others. */
  get size(): number {
    this.#prune();
    return this.#decisions.size;
  }

  /** Whether a full response lacks more than half of the decisions, without listing them as deleted. */
  async isHalved({ fresh, deleted }: LapiResponse): Promise<boolean> {
    let live = 0;
    let missing = 0;
    for (const { key } of this.all()) {
      live++;
      if (!fresh.has(key) && !deleted.has(key)) missing++;
      if (live % decisionsPerTurn === 0) await nextTurn();
    }
    return missing * 2 > live;
  }

  covering(ip: string): Decision | undefined {
    const now = this.#now();
    return this.#index.covering<Decision>(ip, (held, found) => {
      let best = found;
      for (const { decision } of held)
        if (decision.expiresAt > now && (!best || isBetter(decision, best))) best = decision;
      return best;
    });
  }

  coveringAll(prefix: Prefix): Decision[] {
    const now = this.#now();
    return this.#index.allCovering(prefix).flatMap((held) =>
      decisionsOf(held)
        .filter(({ expiresAt }) => expiresAt > now)
        .sort((a, b) => Number(isBetter(b, a)) - Number(isBetter(a, b))),
    );
  }

  /**
   * Adds and lifts decisions. Adds first, so that an address stays covered while its decision is replaced. Of two
   * decisions with the same key the longer one stays, unless the response deletes the decision in force. Returns the
   * number of decisions that did not fit. An aborted signal ends the merge after a part of the response, because a stop
   * does not wait for a large one: the next start requests all decisions again.
   */
  async merge(response: LapiResponse, signal?: AbortSignal): Promise<number> {
    let done = 0;
    let refused = 0;
    for (const fits of this.#steps(response)) {
      if (!fits) refused++;
      if (++done % decisionsPerTurn === 0) await nextTurn();
      if (signal?.aborted) break;
    }
    return refused;
  }

  /** Merges one decision in each step. Yields false when it did not fit. */
  *#steps({ fresh, deleted }: LapiResponse): Generator<boolean> {
    const waiting: KeyedDecision[] = [];
    for (const [key, keyed] of fresh) {
      const isLonger = keyed.decision.expiresAt > (this.#decisions.get(key)?.decision.expiresAt ?? 0);
      const isNew = isLonger || deleted.has(key);
      if (isNew && !(this.#hasRoom(keyed) && this.#add(keyed))) waiting.push(keyed);
      yield true;
    }
    for (const key of deleted.keys()) {
      if (!fresh.has(key)) this.#lift(key);
      yield true;
    }
    for (const keyed of waiting) yield this.#add(keyed);
  }

  /** Keeps exactly the decisions in the response. */
  replace({ fresh }: Pick<LapiResponse, 'fresh'>, signal?: AbortSignal): Promise<number> {
    return this.merge({ fresh, deleted: this.#decisions }, signal);
  }

  /** Lifts decisions on exactly this address or network. */
  lift(ip: string, isAffected: (decision: Decision) => boolean): void {
    const prefix = readPrefix(ip);
    for (const { key, decision } of (prefix && this.#index.get(prefix)) ?? [])
      if (isAffected(decision)) this.#lift(key);
  }

  async clear(): Promise<void> {
    await this.replace({ fresh: new Map() });
  }

  /** Calls the listener after each change. Returns a function that stops the calls. */
  watch(listener: PrefixListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Yields each prefix with its decisions. A prefix may be repeated, and decisions may change meanwhile. */
  *prefixes(): Generator<Parameters<PrefixListener>> {
    for (const { ip, prefix } of this.#decisions.values()) yield [ip, decisionsOf(this.#index.get(prefix))];
  }

  #setPrefix({ ip, prefix }: KeyedDecision, held: readonly HeldDecision[]): void {
    if (held.length > 0) this.#index.set(prefix, held);
    else this.#index.delete(prefix);
    for (const listener of this.#listeners) listener(ip, decisionsOf(held));
  }

  #add(keyed: KeyedDecision): boolean {
    const { key, prefix, decision } = keyed;
    if (this.#isRefused(decision)) return true;
    if (this.#isSpared(keyed)) {
      this.#lift(key); // it may replace one that was made by hand, or that an older preset did not have
      return true;
    }
    const known = this.#decisions.get(key);
    if (isTooWide(prefix) || (!known && this.#isFull())) return false;
    const others = (this.#index.get(prefix) ?? []).filter((other) => other.key !== key);
    if (others.length >= daemonBounds.feedDecisionsPerPrefix && !this.#dropWorse(others, decision)) return false;
    const held = { ...keyed, order: known?.order ?? this.#order++ };
    this.#decisions.set(key, held);
    this.#setPrefix(keyed, [...others, held]);
    this.#nextEnd = Math.min(this.#nextEnd, decision.expiresAt);
    return true;
  }

  #hasRoom({ prefix }: KeyedDecision): boolean {
    return (this.#index.get(prefix)?.length ?? 0) < daemonBounds.feedDecisionsPerPrefix;
  }

  #isFull(): boolean {
    if (this.#decisions.size >= daemonBounds.feedDecisions) this.#prune();
    return this.#decisions.size >= daemonBounds.feedDecisions;
  }

  /** Removes a decision that is worse than the new one. Returns false when there is none. */
  #dropWorse(others: HeldDecision[], decision: Decision): boolean {
    const worse = others.findIndex((other) => isBetter(decision, other.decision));
    for (const { key } of worse < 0 ? [] : others.splice(worse, 1)) this.#decisions.delete(key);
    return worse >= 0;
  }

  #lift(key: string): void {
    const known = this.#decisions.get(key);
    if (!known) return;
    this.#decisions.delete(key);
    const others = (this.#index.get(known.prefix) ?? []).filter((other) => other.key !== key);
    this.#setPrefix(known, others);
  }

  #prune(): void {
    const now = this.#now();
    if (now < this.#nextEnd) return;
    let next = Number.POSITIVE_INFINITY;
    let lifted = 0;
    for (const { key, decision } of this.#decisions.values()) {
      if (decision.expiresAt > now) next = Math.min(next, decision.expiresAt);
      else if (lifted++ < endedPerCall) this.#lift(key);
      else return; // the next call continues
    }
    this.#nextEnd = next;
  }

  *all(): Generator<HeldDecision> {
    this.#prune();
    const now = this.#now();
    for (const held of this.#decisions.values()) if (held.decision.expiresAt > now) yield held;
  }

  /** The first `limit` decisions after a position, in the order of their arrival. */
  page({ limit, after }: { readonly limit: number; readonly after: number }): {
    readonly decisions: readonly Decision[];
    /** The position of the last decision. Undefined on the last page. */
    readonly last: number | undefined;
  } {
    const decisions: Decision[] = [];
    let last: number | undefined;
    for (const { order, decision } of this.all()) {
      if (order <= after) continue;
      if (decisions.length === limit) return { decisions, last };
      decisions.push(decision);
      last = order;
    }
    return { decisions, last: undefined };
  }
}
