/** A policy or a daemon file, distinguished by its content. */

import type { Environment } from '../daemon/environment.ts';
import { type Daemon, daemonSchema } from '../daemon/schema.ts';
import { limits } from '../policy/limits.ts';
import { Policy } from '../policy/schema.ts';
import { loadDaemon } from './daemon.ts';
import { readJson } from './json.ts';
import { loadPolicy } from './policy.ts';
import type { Loaded } from './problem.ts';
import { decode } from './text.ts';

export type LoadedAny =
  | { readonly format: 'policy'; readonly loaded: Loaded<Policy> }
  | { readonly format: 'daemon'; readonly loaded: Loaded<Daemon> };

const policyKeys = new Set(Object.keys(Policy.shape));

/** Keys at the left margin: enough to see what a YAML text is about, before it is read. */
const topLevelKey = /^([$A-Za-z_]\w*)[ \t]*:/gm;

function isDaemonFile(text: string): boolean {
  const daemonKeys = new Set(Object.keys(daemonSchema().shape));
  if (/^\s*[{["]/.test(text)) {
    const keys = [...(readJson(text).root?.members?.keys() ?? [])];
    return keys.some((key) => daemonKeys.has(key)) && !keys.some((key) => policyKeys.has(key));
  }
  const keys = Array.from(text.matchAll(topLevelKey), ([, key = '']) => key);
  return keys.some((key) => daemonKeys.has(key)) || !keys.some((key) => policyKeys.has(key));
}

/**
 * Reads a file that is either: JSON whose keys are not only the daemon's is a policy, and so is a text with keys of a
 * policy alone (which then is not JSON, and says so); all else is a daemon file. Never throws.
 */
export function loadAny(bytes: Uint8Array, name: string, environment?: Environment): LoadedAny {
  const { text } = decode(bytes, limits.daemonFileBytes);
  if (isDaemonFile(text)) return { format: 'daemon', loaded: loadDaemon(bytes, name, environment) };
  return { format: 'policy', loaded: loadPolicy(bytes, name) };
}
