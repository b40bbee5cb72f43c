/** Steps of the wall clock. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

/** Whether `ms` have passed since a wall-clock time. True after the clock was set back, so that nothing waits for it to catch up. */
export const hasPassed = (ms: number, since: number, now: number): boolean => now < since || now - since >= ms;

/**
 * Detects that the wall clock was set, or that the machine slept, since the previous call: it moved by another time than the
 * monotonic clock. Adjustments that are too slow to matter between two calls do not count. Returns by how much it was set,
 * milliseconds; 0: it was not.
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
