/** The audit record: a line of the audit file, and the data of a server-sent event. */
import type { AuditRecord } from '../../contract/events/members.ts';

export type AuditEvent = AuditRecord;
export type AuditAction = AuditEvent['action'];

export interface Audit {
  /** Records an event. Never waits and never throws. Records that cannot be written are counted. */
  readonly record: (event: AuditEvent) => void;
  /** Logs an internal error of the daemon. The levels debug, info and error also write it to the file. */
  readonly fault: (message: string) => void;
  readonly reopen: () => void;
  /** Subscribes to all events. Returns a function that unsubscribes. */
  readonly follow: (listener: (event: AuditEvent) => void) => () => void;
  /** Counts records that were lost on their way to the audit: messages of a worker were queued up. */
  readonly lost: (count: number) => void;
  readonly dropped: () => number;
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}
