/** Common parts of all forms for the Traefik plugin. */

import type { Policy } from '../../contract/policy/schema.ts';
import { expandPresets } from '../../contract/values/presets.ts';
import { commentText } from './printable.ts';
import { sparsePolicy } from './sparse.ts';

export const pluginName = 'guard';
export const pluginModule = 'github.com/request-guard/guard';

/** Returns the keys for the plugin, at least one: Traefik treats a plugin without any key as not configured. */
export function pluginFields(policy: Policy): object {
  const { tcp, ...fields } = sparsePolicy(policy);
  return Object.keys(fields).length === 0 ? { enabled: true } : fields;
}

export const dynamicConfiguration = (fields: unknown): object => ({
  http: { middlewares: { [pluginName]: { plugin: { [pluginName]: fields } } } },
});

const forwardedNotes = (networks: readonly string[]): string[] => [
  '',
  'Traefik removes X-Forwarded-For before the guard can read it, unless the entry point trusts the same networks as trustedProxies:',
  '',
  '  entryPoints:',
  '    <name>:',
  '      forwardedHeaders:',
  '        trustedIPs:',
  ...expandPresets(networks).map((network) => `          - ${network}`),
];

/**
 * Returns comments for the start of the output.
 * @param where where the output belongs, and how a router names the middleware
 */
export function configurationNotes(where: readonly string[], { trustedProxies }: Policy): string {
  const lines = [
    ...where,
    '',
    'The static configuration must load the plugin:',
    '',
    '  experimental:',
    '    localPlugins:',
    `      ${pluginName}:`,
    `        moduleName: ${pluginModule}`,
    '',
    `Its folder is plugins-local/src/${pluginModule} below the working directory of Traefik.`,
    'A Traefik as published needs all sources of the guard there. One that guardcli build made needs only .traefik.yml.',
    ...(trustedProxies.length > 0 ? forwardedNotes(trustedProxies) : []),
  ];
  return commentText(lines);
}

export const fileNotes = [
  'Dynamic configuration of Traefik: a file for its file provider.',
  `Put the guard first in the middlewares of each router: "${pluginName}" (from other providers: "${pluginName}@file").`,
] as const;
