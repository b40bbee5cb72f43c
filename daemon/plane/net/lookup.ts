/**
 * Resolves names of upstreams. The system resolver uses few threads, which file access needs too, and does not report
 * how long an address is valid. So a result counts for a fixed time, concurrent requests for one name share one lookup, and
 * while the name server fails or hangs the last addresses stay in use (RFC 8767).
 */
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

type Callback = Parameters<LookupFunction>[2];
type Result = Parameters<Callback>;
type Lookup = (host: string, options: LookupOptions, callback: Callback) => void;

const keyOf = (host: string, { family = 0, hints = 0, all = false }: LookupOptions): string =>
  `${family} ${hints} ${all} ${host}`;

/** What is known of a name. */
class Name {
  /** The last addresses. Undefined: there were none. */
  #found: Result | undefined;
  #foundAt = Number.NEGATIVE_INFINITY;
  /** The last result, and until when it counts. */
  #last: Result | undefined;
  #until = Number.NEGATIVE_INFINITY;
  #waiting: Callback[] = [];
  #isLooking = false;
  #impatient: NodeJS.Timeout | undefined;

  #settle(result: Result): void {
    clearTimeout(this.#impatient);
    this.#impatient = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) each(...result);
  }

  /** The result of the lookup, or the last addresses when it failed. */
  #take(result: Result, now: number): void {
    const isFound = result[0] === null;
    if (isFound) {
      this.#found = result;
      this.#foundAt = now;
    }
    this.#last = isFound ? result : (this.#stale(now) ?? result);
    this.#until = now + (isFound ? daemonBounds.nameMs : daemonBounds.nameFailureMs);
    this.#settle(this.#last);
  }

  #stale(now: number): Result | undefined {
    return now - this.#foundAt < daemonBounds.nameStaleMs ? this.#found : undefined;
  }

  /** `look` starts a lookup. One runs at a time. */
  request(look: (callback: Callback) => void, now: () => number, callback: Callback): void {
    const last = this.#last;
    if (last && now() < this.#until) return void process.nextTick(() => callback(...last));
    this.#waiting.push(callback);
    const stale = this.#stale(now());
    if (stale) this.#impatient ??= setTimeout(() => this.#settle(stale), daemonBounds.namePatienceMs);
    if (this.#isLooking) return;
    this.#isLooking = true;
    look((...result) => {
      this.#isLooking = false;
      this.#take(result, now());
    });
  }
}

/** `now`: milliseconds of a monotonic clock. */
export function cachedLookup(lookup: Lookup, now = () => performance.now()): LookupFunction {
  const names = new Map<string, Name>();
  return (host, options, callback) => {
    const key = keyOf(host, options);
    const name = names.get(key) ?? new Name();
    const [oldest] = names.keys();
    if (!names.has(key) && names.size >= daemonBounds.names && oldest !== undefined) names.delete(oldest);
    names.set(key, name);
    name.request(
      (done) => lookup(host, options, done as (error: unknown, address: string | LookupAddress[]) => void),
      now,
      callback,
    );
  };
}
