import type { Core } from './core.ts';

/** Whole seconds since the start; the clock may have been set back. */
export const uptimeSeconds = ({ startedAt }: Core, now: number): number =>
  Math.max(0, Math.floor((now - startedAt) / 1000));
