/**
 * Turns of the event loop. A response of the LAPI can have 64 MiB and hundreds of thousands of decisions, and connections
 * wait as long as one turn reads or merges it. So the work of a turn is bounded: one chunk of a response, which is what one
 * read of a socket returns (at most 64 KiB), or `decisionsPerTurn`. Both take a few milliseconds; a collection of
 * garbage can add some tens.
 */

/** Decisions that are changed, compared or written in one turn. */
export const decisionsPerTurn = 1000;

/** Ended decisions that one call removes: about 20 milliseconds. They are not in force while they wait. */
export const endedPerCall = 20_000;

/** Resolves after the event loop has run the callbacks of other work. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
