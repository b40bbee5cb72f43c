import { stripVTControlCharacters } from 'node:util';

/** Cells may contain colors. */
export type Row = readonly string[];

interface Layout {
  readonly indent?: string;
  /** Indexes of the right-aligned columns. */
  readonly right?: readonly number[];
}

const widthOf = (cell: string): number => stripVTControlCharacters(cell).length;

/** Aligns the cells of rows. Each column is as wide as its widest cell. */
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
