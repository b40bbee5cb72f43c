/**
 * Turns of the event loop. A response of the LAPI can have 64 MiB and hundreds of thousands of decisions, and
 * connections wait while one turn reads or merges it. So the work of a turn is bounded: one chunk of a response (one
 * read of a socket, at most 64 KiB) or `decisionsPerTurn`. Both take a few milliseconds. A garbage collection can add
 * some tens of milliseconds.
 */

/** The number of decisions that one turn changes, compares or writes. */
export const decisionsPerTurn = 1000;

/**
 * The number of ended decisions that one call removes: about 25 milliseconds with bans in the kernel. Ended decisions
 * are not in force while they wait for removal.
 */
export const endedPerCall = 4000;

/** Resolves after the event loop has run other callbacks. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
