/** Columns for people. */
import { stripVTControlCharacters } from 'node:util';

/** The cells of a line; they may be colored. */
export type Row = readonly string[];

interface Layout {
  readonly indent?: string;
  /** Columns that are aligned to the right, from 0. */
  readonly right?: readonly number[];
}

const widthOf = (cell: string): number => stripVTControlCharacters(cell).length;

/** A line for each row, its columns as wide as their widest cells. */
export function table(rows: readonly Row[], { indent = '  ', right = [] }: Layout = {}): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  const padded = (cell: string, column: number): string => {
    const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
    return right.includes(column) ? space + cell : cell + space;
  };
  return rows.map((row) => `${indent}${row.map(padded).join('  ')}`.trimEnd());
}
