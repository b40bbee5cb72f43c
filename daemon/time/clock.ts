/** Whether so many milliseconds have passed since a time of the wall clock. When that was set back they have: nothing waits for it to catch up. */
export const hasPassed = (ms: number, since: number, now: number): boolean => now < since || now - since >= ms;
