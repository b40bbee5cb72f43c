/** Waiting between tries. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`, or at once when `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** From `least` to 1 of `ms`, at random: many daemons that lost one service do not come back at the same moment. */
export const jittered = (ms: number, least: number): number => ms * (least + (1 - least) * Math.random());

/** The time before a try after so many failures in a row, at most `most`. */
export const backoff = (failures: number, first: number, most: number): number =>
  jittered(Math.min(most, first * 2 ** Math.min(failures - 1, 30)), 0.5);
