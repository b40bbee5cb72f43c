import type { RequestEvent } from '../../contract/events/members.ts';
import { isRequestEvent, readRecord } from '../../contract/events/read.ts';

const names = [
  ...['type', 'timestamp', 'gateway', 'client_ip', 'method', 'host', 'request_uri', 'target', 'candidate', 'rule_id'],
  ...['reason', 'action', 'status', 'user_agent', 'reference'],
] as const;

/** The members of an event that `why` needs. */
export type FoundEvent = Pick<RequestEvent, (typeof names)[number]>;

/** Parses an event. Returns undefined for a line that is not the event of one request. */
export function eventOf(line: string): FoundEvent | undefined {
  const record = readRecord(line)?.record;
  if (record === undefined || !isRequestEvent(record)) return undefined;
  return Object.fromEntries(names.map((name) => [name, record[name]])) as unknown as FoundEvent;
}
