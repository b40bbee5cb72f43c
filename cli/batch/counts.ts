import type { Count } from './result.ts';

export const countOne = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

export const byCount = (one: Count, other: Count): number =>
  other.count - one.count || (one.name < other.name ? -1 : 1);

export const sortedCounts = (counts: ReadonlyMap<string, number>): Count[] =>
  [...counts].map(([name, count]) => ({ name, count })).sort(byCount);

/**
 * Copies a text, because a substring would keep the whole chunk of the input in memory.
 * @param text one byte per character
 */
export const copyOf = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');
