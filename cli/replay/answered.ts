/**
 * Collects successful requests of clients that also sent blocked requests: the pages that a scanner found. Bounded
 * memory.
 */
import { keptCharacters, replayBounds } from '../counting/bounds.ts';
import { Counter, startOf } from '../counting/counter.ts';
import type { AnsweredList, AnsweredRow } from './result.ts';

/** Counts of one client, by method, host and path. */
type Requests = Map<string, number>;

export interface Success {
  readonly method: string;
  readonly host: string | undefined;
  readonly path: string;
}

/** Separates the parts of a key. Methods and hosts cannot contain a space. */
const separator = ' ';

/** Returns a copy, because `join` writes a new text. */
const keyOf = ({ method, host = '', path }: Success): string =>
  [method, host, path].map((text) => text.slice(0, keptCharacters)).join(separator);

/** Compares requests for sorting. Those that clients without blocked requests sent least often come first. */
export const byInterest = (one: AnsweredRow, other: AnsweredRow): number =>
  one.others - other.others || other.clients - one.clients || other.count - one.count;

export class AnsweredRequests {
  /**
   * Clients without a blocked request so far, in two generations. When the newer one is full, the older one is dropped.
   */
  #recent = new Map<string, Requests>();
  #older = new Map<string, Requests>();
  readonly #scanners = new Map<string, Requests>();
  /** Successful requests of all clients. */
  readonly #all = new Counter(replayBounds.answeredRequests);
  #isExact = true;

  add(address: string, success: Success): void {
    const key = keyOf(success);
    this.#all.add(key);
    const requests = this.#scanners.get(address) ?? this.#requestsOf(address);
    if (requests.has(key) || requests.size < replayBounds.answeredByClient)
      requests.set(key, (requests.get(key) ?? 0) + 1);
    else this.#isExact = false;
  }

  #requestsOf(address: string): Requests {
    const recentRequests = this.#recent.get(address);
    if (recentRequests) return recentRequests;
    const requests: Requests = this.#older.get(address) ?? new Map();
    if (this.#recent.size === replayBounds.answeredClients) {
      if (this.#older.size > 0) this.#isExact = false;
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(startOf(address), requests);
    return requests;
  }

  /** Marks the sender of a blocked request. Its earlier successful requests count, too. */
  mark(address: string): void {
    if (this.#scanners.has(address)) return;
    if (this.#scanners.size === replayBounds.answeredClients) {
      this.#isExact = false;
      return;
    }
    const requests = this.#recent.get(address) ?? this.#older.get(address) ?? new Map();
    this.#recent.delete(address);
    this.#older.delete(address);
    this.#scanners.set(startOf(address), requests);
  }

  #countByRequest(): Counter<{ clients: number; address?: string }> {
    const counts = new Counter(undefined, (): { clients: number; address?: string } => ({ clients: 0 }));
    for (const [address, requests] of this.#scanners)
      for (const [key, count] of requests) {
        const { value } = counts.add(key, count);
        value.clients += 1;
        value.address ??= address;
      }
    return counts;
  }

  /** Returns the collected requests. Omits those that other clients send more often, such as the start page. */
  result(): AnsweredList {
    const all = new Map(this.#all.counts().map(({ name, count }) => [name, count]));
    const rows = this.#countByRequest()
      .entries()
      .map(({ key, count, value: { clients, address = '' } }): AnsweredRow => {
        const [method = '', host = '', ...path] = key.split(separator);
        const others = Math.max(0, (all.get(key) ?? 0) - count);
        return { method, host: host || null, path: path.join(separator), clients, count, others, address };
      });
    const listed = rows.filter(({ count, others }) => others <= count).sort(byInterest);
    const { shownAnswered } = replayBounds;
    return { rows: listed.slice(0, shownAnswered), total: listed.length, exact: this.#isExact };
  }
}
