/** Returns address number `index` of 127.0.0.0/8, never 127.0.0.1. */
export const addressOf = (index: number): string => `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
