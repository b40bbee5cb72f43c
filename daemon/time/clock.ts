/** Detects steps of the wall clock. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

/**
 * Whether `ms` have passed since a wall-clock time. Also true after the clock was set back, so that callers do not wait
 * for it to catch up.
 */
export const hasPassed = (ms: number, since: number, now: number): boolean => now < since || now - since >= ms;

/**
 * Detects that the wall clock was set, or that the machine slept, since the previous call: the wall clock and the
 * monotonic clock moved by different times. Adjustments that are too slow to matter between two calls do not count.
 * Returns the step in milliseconds, or 0.
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
