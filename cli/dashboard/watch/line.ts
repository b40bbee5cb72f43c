/** Lines of a frame: text with styles, whose width is known. Text of others is escaped where it becomes a span. */
import { printable } from '../../../platform/escape.ts';
import type { Paint, Style } from '../../program/paint.ts';

export interface Span {
  readonly text: string;
  readonly style?: Style | readonly Style[];
}
export type Line = readonly Span[];

const ellipsis = '\u2026';

/** Values have at most this many characters before they are escaped. */
const longestValue = 1024;

/** A value from an event, a label or a dashboard: printable ASCII, one column a character. */
export const value = (hostile: string): string => printable(hostile.slice(0, longestValue));

export const span = (text: string, style?: Style | readonly Style[]): Span => (style ? { text, style } : { text });

/** Cuts text to a width, with an ellipsis. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  return width <= 0 ? '' : `${text.slice(0, width - 1)}${ellipsis}`;
}

/** A line of exactly this width. */
export function fit(line: Line, width: number): Line {
  const spans: Span[] = [];
  let left = width;
  for (const one of line) {
    if (left === 0) break;
    const text = cut(one.text, left);
    left -= text.length;
    spans.push(text === one.text ? one : { ...one, text });
  }
  return left > 0 ? [...spans, { text: ' '.repeat(left) }] : spans;
}

/** Exactly this many lines of this width. */
export const block = (lines: readonly Line[], width: number, height: number): Line[] =>
  Array.from({ length: height }, (_, index) => fit(lines[index] ?? [], width));

/** Blocks of the same height side by side. */
export function beside(blocks: readonly (readonly Line[])[], gap: number): Line[] {
  const height = Math.max(...blocks.map((one) => one.length));
  const space = { text: ' '.repeat(gap) };
  return Array.from({ length: height }, (_, row) =>
    blocks.flatMap((one, index) => (index === 0 ? (one[row] ?? []) : [space, ...(one[row] ?? [])])),
  );
}

/** Without spaces at the end. */
export function lineText(line: Line, paint: Paint): string {
  const text = line.map((one) => (one.style ? paint(one.style, one.text) : one.text)).join('');
  return text.trimEnd();
}
