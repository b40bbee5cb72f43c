/** Whether `ms` have passed since a wall-clock time. True after the clock was set back, so that nothing waits for it to catch up. */
export const hasPassed = (ms: number, since: number, now: number): boolean => now < since || now - since >= ms;
