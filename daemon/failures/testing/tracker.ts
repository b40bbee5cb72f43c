/** For tests: an audit that stores its records. */
import type { Audit, AuditEvent } from '../../audit/event.ts';

export interface KeptAudit extends Audit {
  readonly events: AuditEvent[];
  readonly faults: string[];
}

export function keptAudit(): KeptAudit {
  const [events, faults]: [AuditEvent[], string[]] = [[], []];
  return {
    events,
    faults,
    record: (event) => void events.push(event),
    fault: (message) => void faults.push(message),
    reopen: () => {},
    follow: () => () => {},
    lost: () => {},
    dropped: () => 0,
    problems: () => [],
    close: async () => {},
  };
}
