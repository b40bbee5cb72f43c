import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`, or as soon as `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** A random time from `least` × `ms` to `ms`: daemons that lost one LAPI do not reconnect at the same moment. */
export const jittered = (ms: number, least: number): number => ms * (least + (1 - least) * Math.random());

/** Returns the delay after a number of consecutive failures (at least 1): it doubles from `first` to `most` milliseconds. */
export const doubled = (failures: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** Math.min(failures - 1, 30));

/** Returns a random delay from half of `doubled` to all of it. */
export const backoff = (failures: number, first: number, most: number): number =>
  jittered(doubled(failures, first, most), 0.5);
