/** Protocol generic: relays bytes without inspection. */
import type { Inspector, InspectorSession } from '../inspector.ts';

const unseen = () => Number.POSITIVE_INFINITY;
const session: InspectorSession = { take: () => [], unseen, end: () => [], isDone: () => true };

/** Connects the upstream at once: which side sends first is unknown. */
export const generic: Inspector = { open: () => session };
