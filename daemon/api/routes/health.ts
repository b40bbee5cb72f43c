import type { Health } from '../../../contract/api/state.ts';
import { formatDuration } from '../../../contract/values/duration.ts';
import type { FeedState } from '../../feed/feed.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { timeText, uptimeSeconds } from '../records.ts';

function feedHealth({ status, decisions, updateFrequency, lastSuccess, lastError }: FeedState): Health['crowdsec'] {
  return {
    status,
    decisions,
    update_frequency: formatDuration(updateFrequency * 1000),
    last_success: lastSuccess === null ? null : timeText(lastSuccess),
    last_error: lastError,
  };
}

function overallStatus(control: DaemonControl): Health['status'] {
  if (!control.isServing()) return 'unavailable';
  return control.problems().length > 0 ? 'degraded' : 'ok';
}

export const health: Route<'health'> = ({ control, now }, { isTrusted }) => {
  const status = overallStatus(control);
  const reasons = control.problems();
  const detected = control.bans.detectedCount();
  const feed = control.feed?.state();
  const unattributed = control.unattributedProbes();
  const rest: Omit<Health, 'status'> = {
    version: control.version,
    uptime_seconds: uptimeSeconds(control, now()),
    ...(reasons.length > 0 && { reasons: [...reasons] }),
    ...(unattributed !== undefined && { port_scan: { unattributed } }),
    data_plane: control.dataPlane(),
    bans: { enforced: control.bans.count(), ...(detected > 0 && { detected }), store: control.bans.store() },
    ...(feed && { crowdsec: feedHealth(feed) }),
  };
  return jsonAnswer({ status, ...(isTrusted && rest) } satisfies Health, status === 'unavailable' ? 503 : 200);
};
