import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`, or as soon as `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** A random time from `least` × `ms` to `ms`: daemons that lost one LAPI do not reconnect at the same moment. */
export const jittered = (ms: number, least: number): number => ms * (least + (1 - least) * Math.random());

/**
 * Returns a random delay after a number of consecutive failures (at least 1). Its upper bound doubles from `first` to
 * `most` milliseconds, its lower bound is half of that.
 */
export const backoff = (failures: number, first: number, most: number): number =>
  jittered(Math.min(most, first * 2 ** Math.min(failures - 1, 30)), 0.5);
