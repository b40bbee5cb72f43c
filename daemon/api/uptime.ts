import type { DaemonControl } from './daemon-control.ts';

/** Whole seconds since the start, at least 0: the clock can be set back. */
export const uptimeSeconds = ({ startedAt }: DaemonControl, now: number): number =>
  Math.max(0, Math.floor((now - startedAt) / 1000));
