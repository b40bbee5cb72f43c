import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` until the signal aborts. Pauses `ms` milliseconds after each run. */
export async function poll(work: () => unknown, ms: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
}
