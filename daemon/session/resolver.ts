/**
 * Resolves names of upstreams. A result counts for a fixed time, because the system does not report how long it is
 * valid. While the name server fails or hangs, the last addresses stay in use for `nameStaleMs` (RFC 8767).
 */
import { type LookupAddress, lookup as lookupName } from 'node:dns';
import { isIP } from 'node:net';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { monotonicMs } from '../time/clock.ts';

/** Addresses in the order in which they are tried. Empty when none was found. */
export type Addresses = readonly string[];
type Callback = (addresses: Addresses) => void;
/** Calls back once, maybe during the call. An address resolves to itself. */
export type Resolve = (host: string, done: Callback) => void;
type Lookup = (
  host: string,
  options: { readonly all: true },
  done: (error: Error | null, found: readonly LookupAddress[]) => void,
) => void;

class Name {
  #foundAddresses: Addresses | undefined;
  #foundAt = Number.NEGATIVE_INFINITY;
  #lastResult: Addresses | undefined;
  #validUntil = Number.NEGATIVE_INFINITY;
  #waiting: Callback[] = [];
  #isLooking = false;
  #patienceTimer: NodeJS.Timeout | undefined;

  readonly #lookUp: (done: Callback) => void;
  readonly #now: () => number;

  constructor(host: string, lookup: Lookup, now: () => number) {
    this.#lookUp = (done) =>
      lookup(host, { all: true }, (error, found) => done(error ? [] : found.map(({ address }) => address)));
    this.#now = now;
    if (isIP(host) === 0) return;
    this.#lastResult = [host];
    this.#validUntil = Number.POSITIVE_INFINITY;
  }

  #settle(addresses: Addresses): void {
    clearTimeout(this.#patienceTimer);
    this.#patienceTimer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) each(addresses);
  }

  /** Applies the result of a lookup. After a failed one, the last addresses stay in use if they are not too old. */
  #apply(found: Addresses, now: number): void {
    const isFound = found.length > 0;
    if (isFound) {
      this.#foundAddresses = found;
      this.#foundAt = now;
    }
    this.#lastResult = isFound ? found : (this.#staleAddresses(now) ?? found);
    this.#validUntil = now + (isFound ? daemonBounds.nameMs : daemonBounds.nameFailureMs);
    this.#settle(this.#lastResult);
  }

  #staleAddresses(now: number): Addresses | undefined {
    return now - this.#foundAt < daemonBounds.nameStaleMs ? this.#foundAddresses : undefined;
  }

  /** Calls back with the addresses. Only one lookup of the name runs at a time. */
  request(done: Callback): void {
    const now = this.#now();
    if (this.#lastResult && now < this.#validUntil) {
      done(this.#lastResult);
      return;
    }
    this.#waiting.push(done);
    const stale = this.#staleAddresses(now);
    if (stale) this.#patienceTimer ??= setTimeout(() => this.#settle(stale), daemonBounds.namePatienceMs);
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#lookUp((found) => {
      this.#isLooking = false;
      this.#apply(found, this.#now());
    });
  }
}

/** `now`: milliseconds of a monotonic clock. */
export function createResolver(lookup: Lookup = lookupName, now = monotonicMs): Resolve {
  const names = new Map<string, Name>();
  const added = (host: string): Name => {
    const [oldest] = names.keys();
    if (names.size >= daemonBounds.names && oldest !== undefined) names.delete(oldest);
    const name = new Name(host, lookup, now);
    names.set(host, name);
    return name;
  };
  return (host, done) => (names.get(host) ?? added(host)).request(done);
}
