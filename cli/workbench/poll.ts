import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats the work until the signal aborts, with a pause of `ms` between two runs. */
export async function poll(work: () => unknown, ms: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
}
