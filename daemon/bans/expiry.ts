import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Prefix } from '../address/prefix.ts';
import { after } from '../time/timer.ts';
import type { BanRecord } from './records.ts';
import type { BanTable } from './table.ts';

/**
 * The shortest time between two sweeps, because a sweep reads every record. A sweep that reached its limit is continued
 * earlier.
 */
const shortestSweepMs = 1000;
/** The longest timer. When the clock is set meanwhile, listeners are notified at most this late. */
const longestTimerMs = 60_000;

interface ExpiryOptions {
  readonly table: BanTable;
  readonly now: () => number;
  readonly ended: (record: BanRecord) => void;
  /** Called when an ended ban no longer makes the next ban of its prefix longer. */
  readonly forgotten: (prefix: Prefix) => void;
}

export interface Expiry {
  /** Schedules a sweep at this time, milliseconds since the epoch, but at least `shortestSweepMs` from now. */
  readonly expect: (time: number) => void;
  /** Ends expired bans now, at most `bansEndedAtOnce`. Schedules the next sweep. */
  readonly sweep: () => void;
  readonly stop: () => void;
}

export function startExpiry({ table, now, ended, forgotten }: ExpiryOptions): Expiry {
  let due = Number.POSITIVE_INFINITY;
  let cancel = () => {};

  const arm = (time: number, leastMs: number) => {
    cancel();
    due = time;
    if (time === Number.POSITIVE_INFINITY) return;
    cancel = after(Math.min(Math.max(time - now(), leastMs), longestTimerMs), sweep);
  };

  const sweep = () => {
    const time = now();
    const done = table.sweep(time, daemonBounds.bansEndedAtOnce);
    for (const record of done.ended) ended(record);
    for (const prefix of done.forgotten) forgotten(prefix);
    arm(done.next, done.next <= time ? 0 : shortestSweepMs);
  };

  return {
    expect: (time) => {
      if (time < due) arm(time, shortestSweepMs);
    },
    sweep,
    stop: () => cancel(),
  };
}
