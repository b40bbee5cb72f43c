/** Styled text with one column per character. Values from outside must pass through `escapeValue`. */
import { printable } from '../../platform/escape.ts';
import type { Paint, Style } from '../program/paint.ts';

export interface Span {
  readonly text: string;
  readonly style?: Style | readonly Style[];
}
export type Line = readonly Span[];

const ellipsis = '\u2026';

/** Longer values are cut before they are escaped. */
const longestValue = 1024;

/** Escapes all but printable ASCII, whose characters have one column each. */
export const escapeValue = (hostile: string): string => printable(hostile.slice(0, longestValue));

export const span = (text: string, style?: Style | readonly Style[]): Span => (style ? { text, style } : { text });

export function shortenText(text: string, width: number): string {
  if (text.length <= width) return text;
  return width <= 0 ? '' : `${text.slice(0, width - 1)}${ellipsis}`;
}

export function lineText(line: Line, paint: Paint): string {
  const text = line.map((one) => (one.style ? paint(one.style, one.text) : one.text)).join('');
  return text.trimEnd();
}
