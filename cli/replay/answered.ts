/**
 * Collects successful requests of clients that also sent blocked requests: the pages that a scanner found. Bounded
 * memory.
 */
import { copyOf } from '../batch/counts.ts';
import { Frequent } from '../batch/frequent.ts';
import { replayBounds } from './bounds.ts';
import type { AnsweredList, AnsweredRow } from './result.ts';

/** Counts of one client, by method, host and path. */
type Requests = Map<string, number>;

interface RequestCounts {
  clients: number;
  count: number;
  readonly address: string;
}

export interface Success {
  readonly method: string;
  readonly host: string | undefined;
  readonly path: string;
}

/** Separates the parts of a key. Methods and hosts cannot contain a space. */
const separator = ' ';

const keyOf = ({ method, host = '', path }: Success): string =>
  [method, host, path].map((text) => text.slice(0, replayBounds.keptCharacters)).join(separator);

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
  readonly #all = new Frequent(replayBounds.answeredRequests, () => undefined);
  #isExact = true;

  add(address: string, success: Success): void {
    const key = copyOf(keyOf(success));
    this.#all.add(key, 1);
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
    this.#recent.set(copyOf(address), requests);
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
    this.#scanners.set(copyOf(address), requests);
  }

  #countByRequest(): Map<string, RequestCounts> {
    const counts = new Map<string, RequestCounts>();
    for (const [address, requests] of this.#scanners)
      for (const [key, count] of requests) {
        const one = counts.get(key) ?? { clients: 0, count: 0, address };
        one.clients += 1;
        one.count += count;
        counts.set(key, one);
      }
    return counts;
  }

  /** Returns the collected requests. Omits those that other clients send more often, such as the start page. */
  result(): AnsweredList {
    const all = new Map(this.#all.sorted().map(({ key, count }) => [key, count]));
    const rows = [...this.#countByRequest()].map(([key, { clients, count, address }]): AnsweredRow => {
      const [method = '', host = '', ...path] = key.split(separator);
      const others = Math.max(0, (all.get(key) ?? 0) - count);
      return { method, host: host || null, path: path.join(separator), clients, count, others, address };
    });
    const listed = rows.filter(({ count, others }) => others <= count).sort(byInterest);
    const { shownAnswered } = replayBounds;
    return { rows: listed.slice(0, shownAnswered), total: listed.length, exact: this.#isExact };
  }
}
