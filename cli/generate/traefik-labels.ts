/**
 * Writes a policy as container labels for a compose file.
 * Traefik splits a list at its commas, so every entry is a label with an index. Compose replaces `$NAME`, so `$` is
 * doubled.
 */
import type { Policy } from '../../contract/policy/schema.ts';
import { UsageError } from '../../platform/errors.ts';
import { configurationNotes, pluginFields, pluginName } from './traefik.ts';
import { yamlDocument, yamlText } from './yaml.ts';

const prefix = `traefik.http.middlewares.${pluginName}.plugin.${pluginName}`;

const placeNotes = [
  'Labels for a service in a compose file.',
  `Put the guard first in the middlewares of each router, for example`,
  `  traefik.http.routers.<router>.middlewares=${pluginName}`,
] as const;

/** Returns the indices of a list. Traefik sorts labels as text, so all have the same number of digits. */
export function indexTexts(count: number): string[] {
  const width = String(count - 1).length;
  return Array.from({ length: count }, (_, index) => `[${String(index).padStart(width, '0')}]`);
}

function checkKey(key: string, path: string): string {
  if (!key.includes('.')) return key;
  throw new UsageError(
    `${path.slice(prefix.length + 1)}: labels of Traefik cannot carry a key with a dot, such as ${key}`,
    {
      code: 'not_expressible',
      hint: 'use proxya-yaml or proxya-toml',
    },
  );
}

/** Returns one label per text, number or flag. */
function labelsOf(path: string, value: unknown): string[] {
  if (Array.isArray(value)) {
    const index = indexTexts(value.length);
    return value.flatMap((entry, at) => labelsOf(`${path}${index[at]}`, entry));
  }
  if (typeof value !== 'object' || value === null) return [`${path}=${value}`];
  return Object.entries(value).flatMap(([key, entry]) => labelsOf(`${path}.${checkKey(key, path)}`, entry));
}

export function generateTraefikLabels(policy: Policy): string {
  const lines = labelsOf(prefix, pluginFields(policy)).map((label) => label.replaceAll('$', '$$$$'));
  return `${configurationNotes(placeNotes, policy)}\n${yamlText(yamlDocument({ labels: lines }))}`;
}
