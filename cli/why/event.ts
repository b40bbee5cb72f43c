import { type GuardEvent, isGuardEvent } from '../probes/guard-event.ts';

/** The members of an event that `why` needs. A missing text is empty. */
export type FoundEvent = Omit<
  GuardEvent,
  'path' | 'pattern' | 'overflow' | 'inspected_values' | 'inspected_bytes' | 'mode'
>;

const texts = [
  ...['timestamp', 'gateway', 'client_ip', 'method', 'host', 'request_uri', 'target', 'candidate', 'rule_id'],
  ...['reason', 'action', 'user_agent', 'reference'],
] as const;

/** Parses an event. Returns undefined for a line that is not the event of one request. */
export function eventOf(line: string): FoundEvent | undefined {
  try {
    const members = JSON.parse(line) as Record<string, unknown>;
    if (typeof members?.type !== 'string' || !isGuardEvent(members as { type: string })) return undefined;
    const values = texts.map((name) => [name, typeof members[name] === 'string' ? members[name] : '']);
    const status = typeof members.status === 'number' ? members.status : 0;
    return { ...Object.fromEntries(values), type: members.type, status } as FoundEvent;
  } catch {
    return undefined;
  }
}
