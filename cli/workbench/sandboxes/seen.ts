/** Converts a security event to an entry of the list of recent requests. Pure. */
import type { SecurityEvent } from '../../sandbox/session/state.ts';
import type { RecentAction } from '../recent.ts';

/** Returns undefined for an event that is not about a request. */
export function seen(source: string, event: SecurityEvent): RecentAction | undefined {
  if (event.type === 'security_event') return undefined;
  const { method, request_uri: target, host, client_ip: ip, rule_id: rule } = event;
  return { kind: 'recent.add', request: { method, target, headers: [], host, ip }, source, rule: rule || undefined };
}
