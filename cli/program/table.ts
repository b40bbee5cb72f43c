/** Two columns for people. */

/** A label and what it stands for. */
export type Row = readonly [string, string];

/** Indented lines, the first column as wide as its longest label. */
export function table(rows: readonly Row[]): string[] {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`);
}
