/** The table of what a policy can be translated into. A row is all that the help needs; `load` brings the code. */
import type { GenerateTarget } from './target.ts';

export const targets: readonly GenerateTarget[] = [
  {
    name: 'proxya-yaml',
    aliases: ['proxya', 'yaml', 'traefik'],
    summary: "YAML for Traefik's file provider",
    load: async () => (await import('./traefik-yaml.ts')).generateTraefikYaml,
  },
  {
    name: 'proxya-toml',
    aliases: ['toml'],
    summary: "TOML for Traefik's file provider",
    load: async () => (await import('./traefik-toml.ts')).generateTraefikToml,
  },
  {
    name: 'proxya-labels',
    aliases: ['labels', 'compose'],
    summary: 'labels for Traefik in a compose file',
    load: async () => (await import('./traefik-labels.ts')).generateTraefikLabels,
  },
  {
    name: 'proxyb',
    aliases: ['proxybfile', 'caddy', 'caddyfile'],
    summary: 'Caddyfile block with the guard directive',
    load: async () => (await import('./caddy.ts')).generateCaddy,
  },
  {
    name: 'proxyc',
    aliases: ['lua', 'nginx', 'openresty'],
    summary: 'configuration of nginx with the policy as a Lua table',
    load: async () => (await import('./nginx.ts')).generateNginx,
  },
  {
    name: 'tcp-guard',
    aliases: ['tcp', 'l4'],
    summary: 'configuration of tcp-guard, from the tcp part of the policy',
    load: async () => (await import('./daemon.ts')).generateDaemon,
  },
];

/** Every name and alias, for help and suggestions. */
export const targetNames: readonly string[] = targets.flatMap(({ name, aliases }) => [name, ...aliases]);

/** The target that `name` or an alias of it stands for, in any case. */
export function targetNamed(name: string): GenerateTarget | undefined {
  const wanted = name.toLowerCase();
  return targets.find((target) => target.name === wanted || target.aliases.includes(wanted));
}
