/** A policy as a TOML file for Traefik's file provider. */
import { stringify } from 'smol-toml';
import type { Policy } from '../../contract/policy/schema.ts';
import type { Generated } from './generated.ts';
import { escaped } from './printable.ts';
import { dynamicConfiguration, fileNotes, notes, pluginFields } from './traefik.ts';
import { forFile } from './traefik-texts.ts';

/** Matches a list that the library wrote after a bare key. */
const list = /^([\w-]+ = )\[ (.*) \]$/gm;
const entry = /"(?:[^"\\]|\\.)*"|[^\s,]+/g;

function broken(_line: string, key: string, entries: string): string {
  const lines = entries.match(entry)?.map((one) => `  ${one},\n`) ?? [];
  return `${key}[\n${lines.join('')}]`;
}

/** A document with one list entry per line. Every text is in double quotes, as `escaped` requires. */
const tomlText = (table: Readonly<Record<string, unknown>>): string =>
  `${escaped(stringify(table)).replace(list, broken).trimEnd()}\n`;

export function generateTraefikToml(policy: Policy): Generated {
  const table = dynamicConfiguration(forFile(pluginFields(policy))) as Record<string, unknown>;
  return { text: `${notes(fileNotes, policy)}\n${tomlText(table)}` };
}
