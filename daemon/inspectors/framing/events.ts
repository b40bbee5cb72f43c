/** Creates inspector events. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { cut } from '../../../platform/cut.ts';
import type { InspectorEvent } from '../inspector.ts';

/** Copies the start of a text. A connection keeps this copy, not the buffer that contains the text. */
export const copyStart = (text: string): string => cut(text, daemonBounds.factBytes);

export const fact = (name: string, value: string): InspectorEvent => ({
  kind: 'fact',
  name,
  value: copyStart(value),
});
export const violation = (reason: string): InspectorEvent => ({ kind: 'violation', reason });
export const denied = (reason: string): InspectorEvent => ({ kind: 'denied', reason });
export const opaque = (why: string): InspectorEvent => ({ kind: 'opaque', why });

/** The event for the reply to a login. `user`: the name that the client gave, if it could be read. */
export const login = (outcome: 'success' | 'failure', user?: string, fingerprint?: string): InspectorEvent => ({
  kind: 'login',
  outcome,
  ...(user !== undefined && user !== '' && { user: copyStart(user) }),
  ...(fingerprint !== undefined && { fingerprint }),
});
