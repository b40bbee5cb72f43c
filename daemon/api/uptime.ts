import type { DaemonControl } from './daemon-control.ts';

/** Whole seconds since the start. At least 0, because the clock may be set back. */
export const uptimeSeconds = ({ startedAt }: DaemonControl, now: number): number =>
  Math.max(0, Math.floor((now - startedAt) / 1000));
