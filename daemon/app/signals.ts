/** What signals ask of the daemon. */
import type { RunningDaemon } from './daemon.ts';

function reload(daemon: RunningDaemon): void {
  daemon.audit.reopen();
  daemon.reload().then(
    (outcome) => {
      if (!outcome.ok) return;
      process.stderr.write(`tcp-guard: configuration applied: ${outcome.changed.join(', ') || 'as before'}\n`);
      for (const problem of outcome.problems) process.stderr.write(`tcp-guard: problem: ${problem}\n`);
    },
    (error: Error) => daemon.audit.fault(`reload: ${error.stack}`),
  );
}

/** Ends by itself once nothing is open; a second signal does not wait. */
function end(daemon: RunningDaemon): () => void {
  let isEnding = false;
  return () => {
    if (isEnding) process.exit(1);
    isEnding = true;
    void daemon.close().finally(() => process.exit(0));
  };
}

export function obeySignals(daemon: RunningDaemon): void {
  const onEnd = end(daemon);
  process.on('SIGHUP', () => reload(daemon)).on('SIGUSR1', () => daemon.audit.reopen());
  process.on('SIGTERM', onEnd).on('SIGINT', onEnd);
}
