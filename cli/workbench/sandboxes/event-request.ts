import type { GuardRequest } from '../../../engine/index.ts';
import type { SandboxEvent } from '../../sandbox/session/state.ts';
import type { RecentAction } from '../recent.ts';

/**
 * Returns the request of an event. It has no headers and no body, because events have none. Undefined for an event of
 * tcp-guard.
 */
export function requestOfEvent(event: SandboxEvent): GuardRequest | undefined {
  if (event.type === 'security_event') return undefined;
  const { method, request_uri: target, host, client_ip: ip } = event;
  return { method, target, headers: [], host, ip };
}

/** Returns the action that adds an event to the recent requests. Undefined when it is not about a request. */
export function recentActionOf(source: string, event: SandboxEvent): RecentAction | undefined {
  const request = requestOfEvent(event);
  return request && { kind: 'recent.add', request, source, rule: ('rule_id' in event && event.rule_id) || undefined };
}
