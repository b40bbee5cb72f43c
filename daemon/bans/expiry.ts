/** One timer for the end of all bans. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Prefix } from '../address/prefix.ts';
import { after } from '../time/timer.ts';
import type { BanRecord } from './records.ts';
import type { BanTable } from './table.ts';

/** Minimum time between sweeps, which read every record. */
const shortestMs = 1000;
/** Maximum timer length, because the clock can be set meanwhile. Lookups read the clock, so only notifications are late. */
const longestMs = 60_000;

export interface ExpiryOptions {
  readonly table: BanTable;
  readonly now: () => number;
  readonly ended: (record: BanRecord) => void;
  /** The memory of an ended ban expired, so it does not count for growth any more. */
  readonly forgotten: (prefix: Prefix) => void;
}

export interface Expiry {
  /** Something ends at this time, milliseconds since the epoch. */
  readonly expect: (time: number) => void;
  /** Ends expired bans now, without waiting for the timer. */
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
    cancel = after(Math.min(Math.max(time - now(), leastMs), longestMs), sweep);
  };

  const sweep = () => {
    const time = now();
    const done = table.sweep(time, daemonBounds.bansEndedAtOnce);
    for (const record of done.ended) ended(record);
    for (const prefix of done.forgotten) forgotten(prefix);
    arm(done.next, done.next <= time ? 0 : shortestMs);
  };

  return {
    expect: (time) => {
      if (time < due) arm(time, shortestMs);
    },
    sweep,
    stop: () => cancel(),
  };
}
