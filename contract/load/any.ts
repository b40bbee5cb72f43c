/** A policy or a daemon file, distinguished by its content. */

import { type Daemon, daemonSchema } from '../daemon/schema.ts';
import { limits } from '../policy/limits.ts';
import { Policy } from '../policy/schema.ts';
import { loadDaemon } from './daemon.ts';
import { readJson } from './json.ts';
import { loadPolicy } from './policy.ts';
import type { Loaded } from './problem.ts';
import { decode } from './text.ts';
import { readYaml } from './yaml.ts';

export type LoadedAny =
  | { readonly format: 'policy'; readonly loaded: Loaded<Policy> }
  | { readonly format: 'daemon'; readonly loaded: Loaded<Daemon> };

const policyKeys = new Set(Object.keys(Policy.shape));

/** Keys at the left margin: enough to see what a YAML text is about, before it is read. */
const topLevelKey = /^(["']?)([$A-Za-z_]\w*)\1[ \t]*:/gm;

const marginKeys = (text: string): string[] => Array.from(text.matchAll(topLevelKey), ([, , key = '']) => key);

/** The start of JSON, and of YAML that begins with a mapping in braces, a list or a key in quotes. */
const eitherStart = /^\s*[{["]/;

/** Keys of a text that may be JSON. A broken policy has no tree as JSON, but its keys often remain readable. */
function keysOf(text: string): string[] {
  const json = readJson(text).root;
  if (json) return [...(json.members?.keys() ?? [])];
  return /^\s*\{/.test(text) ? [...(readYaml(text).root?.members?.keys() ?? [])] : marginKeys(text);
}

function isDaemonFile(text: string): boolean {
  const daemonKeys = new Set(Object.keys(daemonSchema().shape));
  const mayBeJson = eitherStart.test(text);
  const keys = mayBeJson ? keysOf(text) : marginKeys(text);
  const isOfPolicy = keys.some((key) => policyKeys.has(key));
  return mayBeJson
    ? keys.some((key) => daemonKeys.has(key)) && !isOfPolicy
    : !isOfPolicy || keys.some((key) => daemonKeys.has(key));
}

/**
 * Reads a file that is either: what begins like JSON is a policy, unless it has keys of the daemon and none of a policy;
 * so is a text with keys of a policy alone (which then is not JSON, and says so). All else is a daemon file. Never
 * throws.
 */
export function loadAny(bytes: Uint8Array, name: string): LoadedAny {
  const { text } = decode(bytes, limits.daemonFileBytes);
  if (isDaemonFile(text)) return { format: 'daemon', loaded: loadDaemon(bytes, name) };
  return { format: 'policy', loaded: loadPolicy(bytes, name) };
}
