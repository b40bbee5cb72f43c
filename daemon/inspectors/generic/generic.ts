/** Protocol generic: relays bytes without inspection. */
import type { Inspector, InspectorSession } from '../inspector.ts';

const session: InspectorSession = { take: () => [], end: () => [], isDone: () => true };

/** Connects the upstream at once: which side sends first is unknown. */
export const generic: Inspector = { open: () => session };
