/** Summarizes equal faults, so that a flood of connections does not become a flood of lines. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

/**
 * Passes on the first faults with the same message in each interval. At the end of the interval, further faults with
 * that message become one line with a count. Beyond `auditFaults` messages, one line counts all other faults.
 */
export function createFaultGuard(pass: (message: string) => void) {
  const seen = new Map<string, number>();
  let others = 0;
  const flush = () => {
    for (const [message, count] of seen) {
      const more = count - daemonBounds.auditFloodFirst;
      if (more > 0) pass(`${message} (${more} more times)`);
    }
    if (others > 0) pass(`${others} other faults`);
    seen.clear();
    others = 0;
  };
  const add = (message: string) => {
    const count = (seen.get(message) ?? 0) + 1;
    if (count === 1 && seen.size === daemonBounds.auditFaults) others++;
    else {
      seen.set(message, count);
      if (count <= daemonBounds.auditFloodFirst) pass(message);
    }
  };
  const timer = setInterval(flush, daemonBounds.auditFloodMs).unref();
  return {
    add,
    close: () => {
      clearInterval(timer);
      flush();
    },
  };
}
