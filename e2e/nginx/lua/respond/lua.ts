/** Converts policies to Lua tables, as the guard passes them to its response modes. */

import { type Mode, type ModeRow, modes } from '../../../../contract/policy/modes.ts';
import { Policy, type PolicyFile } from '../../../../contract/policy/schema.ts';
import { snakeCase } from '../../../../contract/values/keys.ts';

const quoted = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;

/** Keys of objects become snake_case; keys of maps stay unchanged. */
export function luaOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `{ ${value.map(luaOf).join(', ')} }`;
  const entries = value instanceof Map ? [...value] : Object.entries(value).map(([key, own]) => [snakeCase(key), own]);
  const members = entries.filter(([, own]) => own !== undefined);
  return `{ ${members.map(([key, own]) => `[${quoted(key)}] = ${luaOf(own)}`).join(', ')} }`;
}

/** With the defaults of its mode. */
export function resolvedPolicy(file: PolicyFile): string {
  const { response, secret } = Policy.parse(file);
  const { statusCode, contentType }: ModeRow = modes[response.mode as Mode];
  const ofMode = { statusCode: statusCode ?? undefined, contentType };
  return luaOf({ secret, response: { ...ofMode, ...response, headers: new Map(Object.entries(response.headers)) } });
}
