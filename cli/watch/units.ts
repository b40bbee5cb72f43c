import { printable } from '../../platform/escape.ts';
import { grouped } from '../program/counted.ts';

/** Longer values are cut before they are escaped. */
const longestValue = 1024;

/** Escapes all but printable ASCII, whose characters have one column each. Values from outside must pass through it. */
export const escapeValue = (hostile: string): string => printable(hostile.slice(0, longestValue));

export function shortenText(text: string, width: number): string {
  if (text.length <= width) return text;
  return width <= 0 ? '' : `${text.slice(0, width - 1)}\u2026`;
}

const sizeLetters = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** Returns text such as `1.5k`. */
export function compactNumber(value: number): string {
  const [size, letter] = sizeLetters.find(([least]) => Math.abs(value) >= least) ?? [1, ''];
  return `${grouped(value / size)}${letter}`;
}

type Format = (value: number) => string;

/** Formats by Grafana's ids of units. */
const unitFormats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['percent', (value) => `${grouped(value)} %`],
  ['percentunit', (value) => `${grouped(value * 100)} %`],
  ['s', (value) => `${grouped(value, 2)} s`],
  ['ms', (value) => `${grouped(value)} ms`],
  ['bytes', (value) => `${compactNumber(value)}B`],
  ['decbytes', (value) => `${compactNumber(value)}B`],
  ['cps', (value) => `${grouped(value, 2)}/s`],
  ['reqps', (value) => `${grouped(value, 2)}/s`],
  ['ops', (value) => `${grouped(value, 2)}/s`],
]);

/** Returns a value with its unit. A count without a unit is never rounded. */
export const withUnit = (value: number, unit: string): string =>
  (unitFormats.get(unit) ?? ((one) => grouped(one)))(value);

/** Returns a time in UTC, such as `13:04:05`. */
export const clockText = (at: number): string => new Date(at).toISOString().slice(11, 19);

/** Returns a date, a time or both in UTC, by the length of the range. */
export function timeLabel(at: number, rangeMs: number): string {
  const text = new Date(at).toISOString();
  const day = 86_400_000;
  if (rangeMs > 2 * day) return text.slice(5, 10);
  return rangeMs > day / 2 ? `${text.slice(5, 10)} ${text.slice(11, 16)}` : text.slice(11, 16);
}
