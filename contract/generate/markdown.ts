export type Row = readonly string[];

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const line = (cells: Row): string => `| ${cells.map(cell).join(' | ')} |`;

export function table(head: Row, rows: readonly Row[]): string {
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function inlineCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

const marker = /<!-- generated: (?<name>[a-z-]+) -->\n[\s\S]*?<!-- end -->/g;

/** Replaces the tables between markers. @throws Error when a marker has no table, or a table no marker */
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
