/** What every connection is handled with. Built once, in daemon.ts. */
import type { Audit, AuditAction, AuditEvent } from './audit/event.ts';
import type { Client } from './client.ts';
import type { Connections } from './connections.ts';
import type { FailureTracker } from './failures/tracker.ts';
import type { Gates } from './gates/index.ts';
import type { DataPlane } from './plane/plane.ts';
import type { ServiceRules } from './rules.ts';
import type { Tarpit } from './tarpit.ts';

export type RecordDetails = Partial<
  Pick<AuditEvent, 'bytes_in' | 'bytes_out' | 'duration_ms' | 'confidence' | 'facts'>
>;

export interface Deps {
  readonly plane: DataPlane;
  readonly connections: Connections;
  readonly gates: Gates;
  readonly tarpit: Tarpit;
  readonly failures: FailureTracker;
  readonly audit: Audit;
  readonly record: (
    service: ServiceRules,
    client: Client,
    action: AuditAction,
    reason: string,
    details?: RecordDetails,
  ) => void;
}
