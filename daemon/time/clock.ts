import { daemonBounds } from '../../contract/daemon/bounds.ts';

/** Whether `ms` have passed. True after the clock was set back, too: callers do not wait until it catches up. */
export const hasPassed = (ms: number, since: number, now: number): boolean => now < since || now - since >= ms;

/**
 * Returns a function. It returns the step of the wall clock since its previous call, in milliseconds: the clock was
 * set, or the machine slept. Slow adjustments do not count.
 */
export function createStepDetector(now: () => number, monotonic = () => performance.now()): () => number {
  let offset = now() - monotonic();
  return () => {
    const before = offset;
    offset = now() - monotonic();
    const step = offset - before;
    return Math.abs(step) < daemonBounds.clockStepMs ? 0 : step;
  };
}
