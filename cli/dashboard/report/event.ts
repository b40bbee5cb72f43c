/** Reads a line of a gateway's event file, of tcp-guard's audit file, or of `guardcli replay --json`. */
import { isReference } from '../../../contract/policy/reference.ts';
import type { AnsweredList } from '../../replay/result.ts';
import { readAnswered } from './answered.ts';
import { reportBounds } from './bounds.ts';

/** `detected`: a policy in mode detect only reported the request. */
export const outcomes = ['blocked', 'detected', 'auth_failure', 'banned', 'unbanned', 'allowed'] as const;
export type Outcome = (typeof outcomes)[number];

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

type Members = Readonly<Record<string, unknown>>;

/** Decodes a line with one character per byte as UTF-8. Invalid bytes become U+FFFD. */
const decodeLine = (line: string): string =>
  /[\x80-\xff]/.test(line) ? Buffer.from(line, 'latin1').toString('utf8') : line;

function parseLine(line: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(decodeLine(line));
    return typeof value === 'object' && value !== null ? (value as Members) : {};
  } catch {
    return undefined;
  }
}

/** Matches RFC 3339, the only form of times that the collector of the dashboard reads. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function timeOf(value: unknown): number | undefined {
  const at = typeof value === 'string' && timePattern.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function countOf(value: unknown): number | undefined {
  if (value === undefined) return 1;
  const isCount = typeof value === 'number' && Number.isInteger(value) && value > 0;
  return isCount && value <= reportBounds.eventsOfRecord ? value : undefined;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, reportBounds.nameCharacters) : undefined;
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= reportBounds.nameCharacters;

function gatewayEvent(members: Members, outcome: Outcome) {
  const { gateway, client_ip, rule_id, reason, path, reference, timestamp } = members;
  const [source, rule, cause, at] = [nameOf(gateway), nameOf(rule_id), nameOf(reason), timeOf(timestamp)];
  if (!source || rule === undefined || !cause || !isAddress(client_ip)) return 'malformed';
  if (typeof path !== 'string' || at === undefined) return 'malformed';
  const shortPath = path.slice(0, reportBounds.pathCharacters);
  const details: Details = {
    ...{ rule: rule || cause, ip: client_ip, country: '', path: shortPath },
    ...(isReference(reference) && { reference }),
  };
  return { layer: 'gateway', source, outcome, at, count: 1, details } as const;
}

function summaryEvent({ gateway, count, timestamp }: Members) {
  const [source, events, at] = [nameOf(gateway), countOf(count), timeOf(timestamp)];
  if (!source || count === undefined || events === undefined || at === undefined) return 'malformed';
  return { layer: 'gateway', source, outcome: 'blocked', at, count: events } as const;
}

const auditOutcomes = new Set<unknown>(['allowed', 'auth_failure', 'blocked', 'banned', 'unbanned']);

function auditRecord({ client_ip, action, reason, country_code, count, timestamp }: Members) {
  const [rule, events, at] = [nameOf(reason), countOf(count), timeOf(timestamp)];
  if (!auditOutcomes.has(action) || rule === undefined || !isAddress(client_ip)) return 'malformed';
  if (typeof country_code !== 'string' || !/^(?:[A-Z]{2})?$/.test(country_code)) return 'malformed';
  if (events === undefined || at === undefined) return 'malformed';
  const details: Details = { rule: rule || 'other', ip: client_ip, country: country_code, path: undefined };
  const outcome = action as Outcome;
  return { layer: 'tcp-guard', source: 'tcp-guard', outcome, at, count: events, details } as const;
}

type Reader = (members: Members) => ReportEvent | AnsweredList | Refused | undefined;

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ['guard_block', (members) => gatewayEvent(members, 'blocked')],
  ['guard_detect', (members) => gatewayEvent(members, 'detected')],
  ['guard_block_summary', summaryEvent],
  ['security_event', auditRecord],
  ['blocked', ({ request, reason }) => (request && reason ? 'replayed' : undefined)],
  ['summary', readAnswered],
]);

export function readEvent(line: string): ReportEvent | AnsweredList | Refused {
  const members = parseLine(line);
  if (!members) return 'notJson';
  return readers.get(members.type)?.(members) ?? 'otherRecords';
}
