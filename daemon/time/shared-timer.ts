/**
 * One timer for all waiters with the same time. Most connections end long before their limits, and a Node timer for
 * each would cost too much.
 */
import { type Entry, LinkedList } from '../../platform/linked-list.ts';

export interface Waiter {
  /** When the wait started, milliseconds of `performance.now()`. */
  readonly since: number;
  /** Called once, after the time, unless the waiter was removed. */
  readonly onElapsed: () => void;
}

/** Timers by their length in milliseconds. A timer without waiters ends at its next check. */
const timers = new Map<number, SharedTimer>();

export class SharedTimer {
  readonly #ms: number;
  /** The waiters, in the order of their start. */
  readonly #waiting = new LinkedList<Waiter>();

  constructor(ms: number) {
    this.#ms = ms;
    this.#checkAfter(ms);
  }

  /** Adds a waiter. Pass the result to `remove`. */
  add(waiter: Waiter): Entry<Waiter> {
    return this.#waiting.add(waiter);
  }

  /** Does nothing when `onElapsed` was already called. */
  remove(entry: Entry<Waiter>): void {
    this.#waiting.remove(entry);
  }

  /** Does not keep the process running: the waiting connections do. */
  #checkAfter(ms: number): void {
    setTimeout(SharedTimer.#check, Math.ceil(ms), this).unref();
  }

  static #check(timer: SharedTimer): void {
    const waiting = timer.#waiting;
    const started = performance.now() - timer.#ms;
    for (let entry = waiting.first; entry?.value && entry.value.since <= started; entry = waiting.first) {
      const waiter = entry.value;
      waiting.remove(entry);
      waiter.onElapsed();
    }
    const next = waiting.first?.value;
    if (next) timer.#checkAfter(next.since - started);
    else timers.delete(timer.#ms);
  }
}

/** `ms`: at most 24 days. */
export function sharedTimer(ms: number): SharedTimer {
  const timer = timers.get(ms) ?? new SharedTimer(ms);
  timers.set(ms, timer);
  return timer;
}
