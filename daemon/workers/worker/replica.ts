/** A worker's copy of the bans and decisions. With it, the worker refuses clients even while the coordinator hangs. */
import { NetworkIndex } from '../../address/network-index.ts';
import { readPrefix } from '../../address/prefix.ts';
import { intern } from '../../feed/decision.ts';
import type { Decision } from '../../feed/feed.ts';
import { isBetter } from '../../feed/holdings.ts';
import type { PrefixDecisions, ReplicaMessage } from '../link/messages.ts';

type HeldDecision = Pick<Decision, 'type' | 'origin' | 'expiresAt'>;
/** The decisions on one prefix, as a linked list. Nearly always there is one. */
type DecisionList = HeldDecision & { readonly next: DecisionList | undefined };

export class Replica {
  readonly #bans = new NetworkIndex<number>();
  readonly #decisions = new NetworkIndex<DecisionList>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  apply(message: ReplicaMessage): void {
    if (message.kind === 'decisions') for (const change of message.changes) this.#decide(change);
    else this.#ban(message.ip, message.kind === 'banned' ? (message.expiresAt ?? Number.POSITIVE_INFINITY) : 0);
  }

  #ban(ip: string, until: number): void {
    const prefix = readPrefix(ip);
    if (!prefix) return;
    if (until > 0) this.#bans.set(prefix, until);
    else this.#bans.delete(prefix);
  }

  #decide([ip, ...decisions]: PrefixDecisions): void {
    const prefix = readPrefix(ip);
    if (!prefix) return;
    let listed: DecisionList | undefined;
    for (const [type, origin, expiresAt] of decisions)
      listed = { type: intern(type), origin: intern(origin), expiresAt, next: listed };
    if (listed) this.#decisions.set(prefix, listed);
    else this.#decisions.delete(prefix);
  }

  covers(ip: string): boolean {
    const now = this.#now();
    return this.#bans.covering<boolean>(ip, (end, isCovered) => isCovered || end > now) === true;
  }

  /** The decision that `ThreatFeed.covering` would return. */
  covering(ip: string): HeldDecision | undefined {
    const now = this.#now();
    return this.#decisions.covering<HeldDecision>(ip, (listed, found) => {
      let best = found;
      for (let one: DecisionList | undefined = listed; one; one = one.next)
        if (one.expiresAt > now && (!best || isBetter(one, best))) best = one;
      return best;
    });
  }
}
