/** Inserts generated tables into hand-written pages, between markers. */

/** One row of a table. Its cells are Markdown. */
export type Row = readonly string[];

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const line = (cells: Row): string => `| ${cells.map(cell).join(' | ')} |`;

export function table(head: Row, rows: readonly Row[]): string {
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Formats inline code. A text with a backtick is enclosed in two backticks. */
export function inlineCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

const marker = /<!-- generated: (?<name>[a-z-]+) -->\n[\s\S]*?<!-- end -->/g;

/**
 * Returns the page with the content between each pair of markers replaced by the table of that name.
 * @throws Error when a marker has no table, or a table has no marker
 */
export function withTables(page: string, tables: Readonly<Record<string, () => string>>): string {
  const unused = new Set(Object.keys(tables));
  const text = page.replace(marker, (_, name: string) => {
    const table = tables[name];
    if (!table) throw new Error(`there is no table "${name}"`);
    unused.delete(name);
    return `<!-- generated: ${name} -->\n\n${table()}\n\n<!-- end -->`;
  });
  if (unused.size > 0) throw new Error(`the page has no marker for ${[...unused].join(', ')}`);
  return text;
}
