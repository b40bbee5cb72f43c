/**
 * Counts failures in bounded memory. Failures within a small part of the window share the time of the first of them, so
 * no failure counts for longer than the window.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

export class Marks {
  /** Points in time, oldest first. `#counts` has the number of failures at each point. */
  readonly #times: number[] = [];
  readonly #counts: number[] = [];

  get size(): number {
    return this.#times.length;
  }

  /** Adds failures at `now`. Returns the number of failures within the last `windowMs` milliseconds. */
  add(now: number, windowMs: number, added = 1): number {
    this.#forget(now - windowMs, now);
    const last = this.#times.length - 1;
    const isNear = last >= 0 && now - (this.#times[last] as number) < windowMs / daemonBounds.failureMarks;
    if (isNear) this.#counts[last] = (this.#counts[last] as number) + added;
    else {
      this.#times.push(now);
      this.#counts.push(added);
    }
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** Drops points up to `until`. Also drops points in the future, which exist after the clock was set back. */
  #forget(until: number, now: number): void {
    while ((this.#times.at(-1) ?? Number.NEGATIVE_INFINITY) > now) {
      this.#times.pop();
      this.#counts.pop();
    }
    while ((this.#times[0] ?? Number.POSITIVE_INFINITY) <= until) {
      this.#times.shift();
      this.#counts.shift();
    }
  }
}
