const mostMs = 8.64e15; // ECMA-262 21.4.1.1

/** Whether a value, such as one of a file, is a time that `Date` can have: milliseconds since the epoch. */
export const isDateMs = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= mostMs;
