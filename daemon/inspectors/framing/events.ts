/** Constructors of inspector events. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { InspectorEvent } from '../inspector.ts';

export const fact = (name: string, value: string): InspectorEvent => ({
  kind: 'fact',
  name,
  value: value.slice(0, daemonBounds.factBytes),
});
export const violation = (reason: string): InspectorEvent => ({ kind: 'violation', reason });
export const denied = (reason: string): InspectorEvent => ({ kind: 'denied', reason });
export const opaque = (why: string): InspectorEvent => ({ kind: 'opaque', why });

/** The reply to a login. `user`: the name that the client gave, if it could be read. */
export const login = (outcome: 'success' | 'failure', user?: string): InspectorEvent => ({
  kind: 'login',
  outcome,
  ...(user !== undefined && user !== '' && { user: user.slice(0, daemonBounds.factBytes) }),
});
