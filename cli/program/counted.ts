/** A number with separators and at most `digits` digits after the point: `1,234,567`, `0.5`. */
export const grouped = (value: number, digits = 1): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits });

/** `1 probe`, `2,000 probes`. */
export const counted = (count: number, one: string): string => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;

/** A count and its share of all: `12 (0.300 %)`. */
export const withShare = (count: number, all: number): string =>
  all === 0 ? grouped(count) : `${grouped(count)} (${((100 * count) / all).toFixed(3)} %)`;
