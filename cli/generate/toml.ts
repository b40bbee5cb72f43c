/** Writes TOML for Traefik with smol-toml, with one list entry per line. */
import { stringify } from 'smol-toml';
import { escaped } from './printable.ts';

/** A list that the library wrote after a bare key. */
const list = /^([\w-]+ = )\[ (.*) \]$/gm;
const entry = /"(?:[^"\\]|\\.)*"|[^\s,]+/g;

function broken(_line: string, key: string, entries: string): string {
  const lines = entries.match(entry)?.map((one) => `  ${one},\n`) ?? [];
  return `${key}[\n${lines.join('')}]`;
}

/** A document with its final newline. Every text is in double quotes, as `escaped` requires. */
export function tomlText(table: Readonly<Record<string, unknown>>): string {
  return `${escaped(stringify(table)).replace(list, broken).trimEnd()}\n`;
}
