/**
 * Formats the tables of rules that people edit, so that a change of one fact is a change of one line: a row has one key
 * a line, and an array is on the line of its key. An array of objects has one object a line.
 */
import { readdirSync } from 'node:fs';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function inline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${inline(member)}`)
    .join(', ')} }`;
}

function member(value: Json): string {
  const isTable = Array.isArray(value) && value.some(isObject);
  return isTable ? `[\n${value.map((item) => `      ${inline(item)}`).join(',\n')}\n    ]` : inline(value);
}

const row = (value: { readonly [key: string]: Json }): string =>
  `  {\n${Object.entries(value)
    .map(([key, item]) => `    ${JSON.stringify(key)}: ${member(item)}`)
    .join(',\n')}\n  }`;

/** @param current the JSON text of an array of objects */
const inRows = (current: string): string => `[\n${JSON.parse(current).map(row).join(',\n')}\n]\n`;

const folders = ['contract/policy/products/', 'contract/policy/exploits/'];

const files = [
  'contract/policy/patterns.json',
  ...folders.flatMap((folder) =>
    readdirSync(new URL(`../../${folder}`, import.meta.url))
      .filter((name) => name.endsWith('.json'))
      .map((name) => `${folder}${name}`),
  ),
];

export const ruleTables = files.map((file) => ({ file, text: inRows }));
