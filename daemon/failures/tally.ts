/** The failures of one address, by counter. */
import type { Counter } from './counters.ts';
import { Marks } from './marks.ts';
import type { Tally } from './reason.ts';
import type { Failure } from './tracker.ts';

/** The largest number of services that a reason names. */
const mostNames = 4;

class Count {
  readonly #marks = new Marks();
  readonly #services = new Set<string>();
  readonly #triggers = new Set<string>();

  add({ service, trigger, count: added = 1 }: Failure, { windowMs }: Counter, now: number): Tally {
    const count = this.#marks.add(now, windowMs, added);
    if (count === added) {
      this.#services.clear();
      this.#triggers.clear();
    }
    if (service !== undefined && this.#services.size < mostNames) this.#services.add(service);
    if (this.#triggers.size < 2) this.#triggers.add(trigger); // the reason only distinguishes one trigger from several
    return { count, windowMs, services: this.#services, triggers: this.#triggers };
  }
}

export class AddressTally {
  readonly #counts = new Map<string, Count>();
  #lift = Number.NEGATIVE_INFINITY;
  /** The time when the last failure stops counting. */
  countsUntil = 0;

  /** Forgets the failures before an unban, once for each unban: the unban of a network affects many tallies. */
  forgetBefore(lift: number): this {
    if (lift > this.#lift) this.#counts.clear();
    this.#lift = lift; // may be earlier than the last one after the clock was set back
    return this;
  }

  /** Counts a failure. Returns the tally of the first counter that has reached its limit, or undefined. */
  add(failure: Failure, counters: readonly Counter[], now: number): Tally | undefined {
    let exceeded: Tally | undefined;
    for (const counter of counters) {
      const count = this.#counts.get(counter.key) ?? new Count();
      this.#counts.set(counter.key, count);
      const tally = count.add(failure, counter, now);
      if (tally.count >= counter.after) exceeded ??= tally;
      this.countsUntil = Math.max(this.countsUntil, now + counter.windowMs);
    }
    return exceeded;
  }
}
