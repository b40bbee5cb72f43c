/** TOML for Traefik: what smol-toml writes, with an entry of a list a line. */
import { stringify } from 'smol-toml';
import { escaped } from './printable.ts';

/** A list of the library, behind a key without quotes. */
const list = /^([\w-]+ = )\[ (.*) \]$/gm;
const entry = /"(?:[^"\\]|\\.)*"|[^\s,]+/g;

function broken(_line: string, key: string, entries: string): string {
  const lines = entries.match(entry)?.map((one) => `  ${one},\n`) ?? [];
  return `${key}[\n${lines.join('')}]`;
}

/** A document with its final newline. Every text is between double quotes, which `escaped` needs. */
export function tomlText(table: Readonly<Record<string, unknown>>): string {
  return `${escaped(stringify(table)).replace(list, broken).trimEnd()}\n`;
}
