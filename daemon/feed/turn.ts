/**
 * Connections wait while one turn of the event loop reads or merges decisions. So a turn reads one chunk or handles
 * `decisionsPerTurn`: both take a few milliseconds.
 */

/** Decisions that one turn changes, compares or writes. */
export const decisionsPerTurn = 1000;

/** Ended decisions that one call removes, in about 25 milliseconds. Others wait, and are not in force either. */
export const endedPerCall = 4000;

/** Resolves after the event loop has run other callbacks. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
