/** What every connection is handled with. Built once in each process that serves connections. */
import type { Audit, AuditAction, AuditEvent } from './audit/event.ts';
import type { Client } from './client.ts';
import type { Failure } from './failures/tracker.ts';
import type { Judge } from './judge.ts';
import type { DataPlane } from './plane/plane.ts';
import type { ServiceRules } from './rules.ts';
import type { Tarpit } from './tarpit.ts';

export type RecordDetails = Partial<
  Pick<AuditEvent, 'bytes_in' | 'bytes_out' | 'duration_ms' | 'confidence' | 'facts'>
>;

export type Recorder = (
  service: ServiceRules,
  client: Client,
  action: AuditAction,
  reason: string,
  details?: RecordDetails,
) => void;

export interface Deps {
  readonly plane: DataPlane;
  readonly judge: Judge;
  readonly tarpit: Tarpit;
  /** A login has failed: it slows its client down, and counts for a ban. */
  readonly failed: (client: Client, failure: Failure) => void;
  readonly audit: Pick<Audit, 'fault'>;
  readonly record: Recorder;
}
