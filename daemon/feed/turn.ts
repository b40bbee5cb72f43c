/**
 * Bounds the work of one turn of the event loop, because connections wait meanwhile. A turn reads one chunk of a
 * response or handles `decisionsPerTurn`. Both take a few milliseconds.
 */

/** The number of decisions that one turn changes, compares or writes. */
export const decisionsPerTurn = 1000;

/**
 * The number of ended decisions that one call removes, in about 25 milliseconds. Further ended decisions wait for the
 * next call, but are not in force.
 */
export const endedPerCall = 4000;

/** Resolves after the event loop has run other callbacks. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
