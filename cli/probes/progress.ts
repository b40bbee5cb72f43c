import type { ProbeResult } from './report.ts';

export type SentProbe = Pick<ProbeResult, 'id' | 'ok' | 'request'>;

export interface ProbeProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  /** Oldest first. */
  readonly latest: readonly SentProbe[];
}

/** Maximum number of stored probes: more than most terminals have lines. */
const keptProbes = 80;

export const initialProgress = (total: number): ProbeProgress => ({ done: 0, total, failed: 0, latest: [] });

export const withProbe = ({ done, total, failed, latest }: ProbeProgress, probe: SentProbe): ProbeProgress => ({
  ...{ done: done + 1, total, failed: failed + Number(!probe.ok) },
  latest: [...latest.slice(1 - keptProbes), probe],
});
