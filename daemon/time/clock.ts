import { performance } from 'node:perf_hooks';
import { daemonBounds } from '../../contract/daemon/bounds.ts';

/**
 * The time of the monotonic clock, in milliseconds: `performance.now()`. The global name is a getter of Node, which takes
 * longer than the clock. Use this function in code that runs for every connection.
 */
export const monotonicMs = (): number => performance.now();

/** Whether `ms` have passed. True after the clock was set back, too: callers do not wait until it catches up. */
export const hasPassed = (ms: number, since: number, now: number): boolean => now < since || now - since >= ms;

/**
 * Returns a function that detects that the wall clock was set or that the machine slept. The function returns how far
 * the wall clock has moved against the monotonic clock since its previous call, in milliseconds. Returns 0 below
 * `clockStepMs`.
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
