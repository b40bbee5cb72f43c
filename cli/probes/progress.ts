/** The progress of a probe set, for views. */
import type { ProbeResult } from './report.ts';

/** A probe that was sent. */
export type SentProbe = Pick<ProbeResult, 'id' | 'ok' | 'request'>;

export interface ProbeProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  /** The latest sent probes, oldest first. */
  readonly latest: readonly SentProbe[];
}

/** Maximum number of latest probes. A tall terminal has fewer lines. */
const keptProbes = 80;

export const initialProgress = (total: number): ProbeProgress => ({ done: 0, total, failed: 0, latest: [] });

export const withProbe = ({ done, total, failed, latest }: ProbeProgress, probe: SentProbe): ProbeProgress => ({
  ...{ done: done + 1, total, failed: failed + Number(!probe.ok) },
  latest: [...latest.slice(1 - keptProbes), probe],
});
