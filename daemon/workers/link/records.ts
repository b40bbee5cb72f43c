/**
 * Audit records in a message of a worker. Objects would take three times as long to send, and V8 would copy them while they
 * wait: at 10,000 connections a second, a tenth of a connection's processor time.
 */
import type { RecordDetails, RecordedService, Recorder } from '../../admission/recorder.ts';
import type { AuditAction, AuditEvent } from '../../audit/event.ts';
import { timestampOf } from '../../time/timestamp.ts';

type Rest = Partial<Pick<AuditEvent, 'confidence' | 'facts' | 'count'>>;
/** One record, in the order of its values in the message. `rest` is 0 in most records, which have none of its members. */
type Row = readonly [
  ...[ms: number, service: string, protocol: string, ip: string, port: number, action: AuditAction, reason: string],
  ...[bytesIn: number, bytesOut: number, durationMs: number, rest: Rest | 0],
];
const rowLength = 11;

export interface RecordsMessage {
  readonly kind: 'records';
  /** The time of `ms` 0, in milliseconds since 1970. */
  readonly since: number;
  readonly values: Row[number][];
}

export const recordCountOf = ({ values }: RecordsMessage): number => values.length / rowLength;

const restOf = ({ confidence, facts, count }: RecordDetails): Rest => ({
  ...(confidence !== undefined && { confidence }),
  ...(facts !== undefined && { facts }),
  ...(count !== undefined && { count }),
});

/** Appends a record to the message. */
export function pack(
  { values, since }: RecordsMessage,
  now: number,
  { name, config }: RecordedService,
  { ip, port }: Parameters<Recorder>[1],
  action: AuditAction,
  reason: string,
  details: RecordDetails,
): void {
  const { confidence, facts, count } = details;
  const rest = confidence ?? facts ?? count;
  values.push(now - since, name, config.protocol, ip, port, action, reason);
  values.push(details.bytes_in, details.bytes_out, details.duration_ms, rest === undefined ? 0 : restOf(details));
}

/** Calls `write` for each record, in the order of `pack`. */
export function unpack(
  { values, since }: RecordsMessage,
  countryOf: (ip: string) => string,
  write: (event: AuditEvent) => void,
): void {
  for (let from = 0; from < values.length; from += rowLength) {
    const row = values.slice(from, from + rowLength) as unknown as Row;
    const [ms, service, protocol, client_ip, client_port, action, reason, bytes_in, bytes_out, duration_ms, rest] = row;
    const event: AuditEvent = {
      type: 'security_event',
      timestamp: timestampOf(since + ms),
      service,
      protocol,
      client_ip,
      client_port,
      country_code: countryOf(client_ip),
      action,
      reason,
      bytes_in,
      bytes_out,
      duration_ms,
    };
    write(rest === 0 ? event : { ...event, ...rest });
  }
}
