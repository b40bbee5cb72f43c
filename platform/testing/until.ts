import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds until a wait fails. No expected effect takes so long, even on a loaded machine. */
const patienceMs = 120_000;

/** Pause between two polls. The processor is free for the awaited work meanwhile. */
const pauseMs = 10;

/**
 * Resolves once `isTrue` returns true. `what` names the awaited effect. @throws Error after two minutes, and errors of
 * `isTrue`
 */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  what: string | (() => string) = String(isTrue),
): Promise<void> {
  for (const end = performance.now() + patienceMs; !(await isTrue()); await sleep(pauseMs))
    if (performance.now() > end) throw new Error(`waited in vain for ${typeof what === 'string' ? what : what()}`);
}
