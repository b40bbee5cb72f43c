/** TOML as people write it: a list entry a line, patterns in literal strings, tables under headers. */
import { escaped, template, unprintable, unprintableLines } from './printable.ts';

const bareKey = /^[A-Za-z0-9_-]+$/;
const basic = (text: string): string => escaped(JSON.stringify(text));

function string(text: string): string {
  if (text.includes(template)) return basic(text);
  if (!/["\\\n]/.test(text)) return basic(text);
  if (!text.includes("'") && !unprintable.test(text)) return `'${text}'`;
  const isLiteral = text.includes('\n') && !text.includes("''") && !text.endsWith("'") && !unprintableLines.test(text);
  return isLiteral ? `'''\n${text}'''` : basic(text);
}

const key = (name: string): string => (bareKey.test(name) ? name : basic(name));

type Table = Readonly<Record<string, unknown>>;
const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTables = (value: unknown): value is readonly Table[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTable);

function plain(value: unknown): string {
  if (typeof value === 'string') return string(value);
  if (!Array.isArray(value)) return String(value);
  if (value.length === 0) return '[]';
  return `[\n${value.map((entry) => `  ${plain(entry)},\n`).join('')}]`;
}

const isOwn = (value: unknown): boolean => !isTable(value) && !isTables(value);

function body(table: Table): string {
  return Object.entries(table)
    .filter(([, value]) => isOwn(value))
    .map(([name, value]) => `${key(name)} = ${plain(value)}\n`)
    .join('');
}

/** A table and the tables in it; one that only holds tables needs no header. */
function blocks(table: Table, path: string, brackets: readonly [string, string]): string[] {
  const own = body(table);
  const inner = Object.entries(table).flatMap(([name, value]) => {
    const full = path === '' ? key(name) : `${path}.${key(name)}`;
    if (isTable(value)) return blocks(value, full, ['[', ']']);
    return isTables(value) ? value.flatMap((entry) => blocks(entry, full, ['[[', ']]'])) : [];
  });
  const isNamed = path !== '' && (own !== '' || inner.length === 0 || brackets[0] === '[[');
  return isNamed ? [`${brackets[0]}${path}${brackets[1]}\n${own}`, ...inner] : [own, ...inner];
}

/** A document with its final newline. Keys keep their order, but for tables, which stand behind what is none. */
export function tomlText(table: Table): string {
  return blocks(table, '', ['[', ']'])
    .filter((block) => block !== '')
    .join('\n');
}
