/** Reads a line of a gateway's event file, of tcp-guard's audit file, or of `guardcli replay --json`. */
import type { AuditRecord, EventSummary, Outcome, RequestEvent } from '../../contract/events/members.ts';
import { type Members, parseMembers, recordOf } from '../../contract/events/read.ts';
import { reportBounds } from '../counting/bounds.ts';
import type { AnsweredList } from '../replay/result.ts';
import { readAnswered } from './answered.ts';

export type Layer = 'gateway' | 'tcp-guard';

export interface ReportEvent {
  readonly layer: Layer;
  /** Name of the gateway, or `tcp-guard`. */
  readonly source: string;
  readonly outcome: Outcome;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Number of events that this record summarizes. */
  readonly count: number;
  /** Absent when a gateway wrote only a count. */
  readonly details?: Details;
}

export interface Details {
  /** Id of the rule. Without a rule, the reason of the event, or `other` when tcp-guard recorded no reason. */
  readonly rule: string;
  /** As written in the line. Empty for a client on a Unix socket, and for a count of many clients of tcp-guard. */
  readonly ip: string;
  /** Country code of two letters. Empty when unknown. */
  readonly country: string;
  /** Undefined for events of tcp-guard, which sees no paths. */
  readonly path: string | undefined;
  /** Reference that the response showed to the client. */
  readonly reference?: string;
}

/** Why a line is not an event. `replayed`: requests from `guardcli replay` have no time. */
export type Refused = 'notJson' | 'otherRecords' | 'malformed' | 'replayed';

/** Decodes a line with one character per byte as UTF-8. Invalid bytes become U+FFFD. */
const decodeLine = (line: string): string =>
  /[\x80-\xff]/.test(line) ? Buffer.from(line, 'latin1').toString('utf8') : line;

const shortName = (name: string): string => name.slice(0, reportBounds.nameCharacters);

function requestEvent(event: RequestEvent): Omit<ReportEvent, 'at'> {
  const { type, gateway, rule_id, reason, client_ip: ip, path, reference } = event;
  const details: Details = {
    ...{ rule: shortName(rule_id || reason), ip, country: '', path: path.slice(0, reportBounds.pathCharacters) },
    ...(reference !== '' && { reference }),
  };
  const outcome = type === 'guard_block' ? 'blocked' : 'detected';
  return { layer: 'gateway', source: shortName(gateway), outcome, count: 1, details };
}

const summaryEvent = ({ gateway, count }: EventSummary): Omit<ReportEvent, 'at'> => ({
  ...{ layer: 'gateway', source: shortName(gateway), outcome: 'blocked', count },
});

function auditEvent({ action, reason, client_ip: ip, country_code: country, count = 1 }: AuditRecord) {
  const details: Details = { rule: shortName(reason) || 'other', ip, country, path: undefined };
  return { layer: 'tcp-guard', source: 'tcp-guard', outcome: action, count, details } as const;
}

/** Reads lines of `guardcli replay --json`, by their type. */
const replayReaders: ReadonlyMap<unknown, (members: Members) => AnsweredList | Refused | undefined> = new Map<
  unknown,
  (members: Members) => AnsweredList | Refused | undefined
>([
  ['blocked', ({ request, reason }) => (request && reason ? 'replayed' : undefined)],
  ['summary', readAnswered],
]);

export function readEvent(line: string): ReportEvent | AnsweredList | Refused {
  const members = parseMembers(decodeLine(line));
  if (!members) return 'notJson';
  const found = recordOf(members);
  if (found === 'other') return replayReaders.get(members.type)?.(members) ?? 'otherRecords';
  if (found === 'malformed') return found;
  const { record, at } = found;
  if (record.type === 'guard_block_summary') return { ...summaryEvent(record), at };
  return { ...(record.type === 'security_event' ? auditEvent(record) : requestEvent(record)), at };
}
