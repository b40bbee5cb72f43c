import type { DaemonControl } from './daemon-control.ts';

/** Whole seconds since the start; the clock may have been set back. */
export const uptimeSeconds = ({ startedAt }: DaemonControl, now: number): number =>
  Math.max(0, Math.floor((now - startedAt) / 1000));
