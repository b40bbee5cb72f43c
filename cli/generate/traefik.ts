/** A policy as the configuration of the Traefik plugin: what the forms of Traefik's configuration have in common. */
import type { Policy } from '../../contract/policy/schema.ts';
import { sparse } from './sparse.ts';

/** The name of the plugin and of the middleware. */
export const plugin = 'guard';
export const pluginModule = 'github.com/request-guard/guard';

/** What the plugin is given. Traefik takes a plugin without any key for one that is not configured. */
export function pluginFields(policy: Policy): object {
  const { tcp, ...fields } = sparse(policy);
  return Object.keys(fields).length === 0 ? { enabled: true } : fields;
}

/** The dynamic configuration around the plugin's own. */
export const dynamicConfiguration = (fields: unknown): object => ({
  http: { middlewares: { [plugin]: { plugin: { [plugin]: fields } } } },
});

const forwarded = (networks: readonly string[]): string[] => [
  '',
  'Traefik removes X-Forwarded-For before the guard can read it, unless the entry point trusts the same networks as trustedProxies:',
  '',
  '  entryPoints:',
  '    <name>:',
  '      forwardedHeaders:',
  '        trustedIPs:',
  ...networks.map((network) => `          - ${network}`),
];

/**
 * Where the configuration goes, and what the static configuration needs for it, as comments.
 * @param where the place of what follows, and how a router names the middleware
 */
export function notes(where: readonly string[], { trustedProxies }: Policy): string {
  const lines = [
    ...where,
    '',
    `The static configuration needs the plugin, with its sources in plugins-local/src/${pluginModule}`,
    'below the folder that Traefik is started in:',
    '',
    '  experimental:',
    '    localPlugins:',
    `      ${plugin}:`,
    `        moduleName: ${pluginModule}`,
    ...(trustedProxies.length > 0 ? forwarded(trustedProxies) : []),
  ];
  return lines.map((line) => `# ${line}`.trimEnd().concat('\n')).join('');
}

/** Where a file of the file provider goes. */
export const fileNotes = [
  'Dynamic configuration of Traefik: a file for its file provider.',
  `A router runs the guard when its middlewares begin with "${plugin}" (from other providers: "${plugin}@file").`,
] as const;
