/** A policy as a TOML file for Traefik's file provider. */
import { stringify } from 'smol-toml';
import type { Policy } from '../../contract/policy/schema.ts';
import { escapeQuoted } from './printable.ts';
import { configurationNotes, dynamicConfiguration, fileNotes, pluginFields } from './traefik.ts';
import { checkedForFile } from './traefik-texts.ts';

/** Matches a list that the library wrote after a bare key. */
const listPattern = /^([\w-]+ = )\[ (.*) \]$/gm;
const entryPattern = /"(?:[^"\\]|\\.)*"|[^\s,]+/g;

function breakList(_line: string, key: string, entries: string): string {
  const lines = entries.match(entryPattern)?.map((one) => `  ${one},\n`) ?? [];
  return `${key}[\n${lines.join('')}]`;
}

/** Writes one list entry per line. The library quotes every text with double quotes, as `escapeQuoted` requires. */
const tomlText = (table: Readonly<Record<string, unknown>>): string =>
  `${escapeQuoted(stringify(table)).replace(listPattern, breakList).trimEnd()}\n`;

export function generateTraefikToml(policy: Policy): string {
  const table = dynamicConfiguration(checkedForFile(pluginFields(policy))) as Record<string, unknown>;
  return `${configurationNotes(fileNotes, policy)}\n${tomlText(table)}`;
}
