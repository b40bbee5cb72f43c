/**
 * How many failures there were within a window, in bounded room: points in time with a count. Failures that are closer
 * to each other than a small part of the window share the point of the first, so none counts longer than the window.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

export class Marks {
  /** Oldest first; pairs of a time and a count. */
  readonly #times: number[] = [];
  readonly #counts: number[] = [];

  /** Points in time that are kept. */
  get size(): number {
    return this.#times.length;
  }

  /** Adds one at `now`; how many there are within the last `windowMs`, milliseconds. */
  add(now: number, windowMs: number): number {
    this.#forget(now - windowMs, now);
    const last = this.#times.length - 1;
    const isNear = last >= 0 && now - (this.#times[last] as number) < windowMs / daemonBounds.failureMarks;
    if (isNear) this.#counts[last] = (this.#counts[last] as number) + 1;
    else {
      this.#times.push(now);
      this.#counts.push(1);
    }
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** What is as old as `until`; and what is from the future, after the clock was set back. */
  #forget(until: number, now: number): void {
    const isOver = (time: number | undefined) => time !== undefined && (time <= until || time > now);
    while (isOver(this.#times[0])) {
      this.#times.shift();
      this.#counts.shift();
    }
  }
}
