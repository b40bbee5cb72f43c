/** Returns the id of an entry of `blockPatterns` or `allowPatterns`. */
export const patternId = (action: 'block' | 'allow', index: number): string => `${action}[${index}]`;
