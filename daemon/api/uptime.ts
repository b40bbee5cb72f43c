import type { DaemonControl } from './daemon-control.ts';

/** At least 0: the clock may be set back. */
export const uptimeSeconds = ({ startedAt }: DaemonControl, now: number): number =>
  Math.max(0, Math.floor((now - startedAt) / 1000));
