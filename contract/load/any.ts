/** Loads a policy or a daemon file. The content decides which of them it is. */

import { type Daemon, daemonSchema } from '../daemon/schema.ts';
import { limits } from '../policy/limits.ts';
import { Policy } from '../policy/schema.ts';
import { nearest } from '../values/nearest.ts';
import { loadFile } from './check.ts';
import { loadDaemon } from './daemon.ts';
import { readJson } from './json.ts';
import { policyForm } from './policy.ts';
import type { Loaded } from './problem.ts';
import { placesOf } from './schema-keys.ts';
import { decode } from './text.ts';
import { readYaml } from './yaml.ts';

export type LoadedAny =
  | { readonly format: 'policy'; readonly loaded: Loaded<Policy> }
  | { readonly format: 'daemon'; readonly loaded: Loaded<Daemon> };

const policyKeys: ReadonlySet<string> = new Set(Object.keys(Policy.shape));

/** Matches keys at the left margin, to recognize the kind of a YAML text before it is parsed. */
const topLevelKey = /^(["']?)([$A-Za-z_]\w*)\1[ \t]*:/gm;

const marginKeys = (text: string): string[] => Array.from(text.matchAll(topLevelKey), ([, , key = '']) => key);

/** Matches the start of JSON, also after a comment, and of YAML that begins with a brace, a bracket or a double quote. */
const jsonOrYamlStart = /^\s*(?:[{["]|\/[/*])/;

/**
 * Returns the keys of a text that may be JSON. A broken policy does not parse, but its keys often remain recognizable.
 */
function keysOf(text: string): string[] {
  const json = readJson(text).root;
  if (json) return [...(json.members?.keys() ?? [])];
  return /^\s*\{/.test(text) ? [...(readYaml(text).root?.members?.keys() ?? [])] : marginKeys(text);
}

const isYamlName = (name: string): boolean => /\.ya?ml$/i.test(name);

/**
 * Whether a key belongs to a daemon file. A misspelled key of the daemon file counts too, and a key of one of its
 * sections, unless it also resembles a key of a policy.
 */
const belongsToDaemon = (key: string, schema: ReturnType<typeof daemonSchema>): boolean =>
  Object.hasOwn(schema.shape, key) ||
  (nearest(key, policyKeys) === undefined &&
    (nearest(key, Object.keys(schema.shape)) !== undefined || placesOf(schema, key).length > 0));

function isDaemonFile(text: string, name: string): boolean {
  const schema = daemonSchema();
  const daemonKeys = Object.keys(schema.shape);
  const mayBeJson = jsonOrYamlStart.test(text);
  const keys = mayBeJson ? keysOf(text) : marginKeys(text);
  if (keys.length === 0) return !mayBeJson && isYamlName(name);
  if (keys.some((key) => policyKeys.has(key))) return !mayBeJson && keys.some((key) => daemonKeys.includes(key));
  return keys.some((key) => (mayBeJson ? daemonKeys.includes(key) : belongsToDaemon(key, schema)));
}

/**
 * Loads a policy or a daemon file. A text that begins like JSON is a daemon file if it has a key of the daemon file and
 * no key of a policy. Any other text is a daemon file if it has a key of the daemon file, or no keys and `name` ends in
 * .yaml or .yml. In such a text a misspelled key counts too, unless the text has a key of a policy. Never throws.
 */
export function loadAny(bytes: Uint8Array, name: string): LoadedAny {
  const { text } = decode(bytes, limits.daemonFileBytes);
  if (isDaemonFile(text, name)) return { format: 'daemon', loaded: loadDaemon(bytes, name) };
  const read = jsonOrYamlStart.test(text) || text === '' ? readJson : readYaml;
  return { format: 'policy', loaded: loadFile(bytes, name, { ...policyForm, read }) };
}
