/** Protocol generic: bytes are relayed without a look. */
import type { Inspector, InspectorSession } from '../inspector.ts';

const session: InspectorSession = { take: () => [], end: () => [], isDone: () => true };

/** The upstream is connected at once: which side speaks first is unknown. */
export const generic: Inspector = {
  protocol: 'generic',
  sendsFirst: 'server',
  isEnough: () => true,
  open: () => session,
};
