/** Protocol generic: relays bytes without inspection. */
import type { Inspector, InspectorSession } from '../inspector.ts';

const unseen = () => Number.POSITIVE_INFINITY;
const session: InspectorSession = { feed: () => [], unseen, end: () => [], heldBytes: () => 0, isDone: () => true };

/** The upstream is connected immediately, because either side may send first. */
export const generic: Inspector = { open: () => session };
