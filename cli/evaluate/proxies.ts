/** The proxies whose handling of a target is known, by neutral and by real name. */
import type { Receives } from '../../contract/hosts/received.ts';

export interface Proxy {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly load: () => Promise<Receives>;
}

const proxies: readonly Proxy[] = [
  {
    name: 'traefik',
    aliases: ['proxya'],
    load: async () => (await import('../../contract/hosts/traefik.ts')).receives,
  },
  {
    name: 'caddy',
    aliases: ['proxyb'],
    load: async () => (await import('../../contract/hosts/caddy.ts')).receives,
  },
  {
    name: 'nginx',
    aliases: ['proxyc', 'openresty'],
    load: async () => (await import('../../contract/hosts/nginx.ts')).receives,
  },
];

export const proxyNames: readonly string[] = proxies.flatMap(({ name, aliases }) => [name, ...aliases]);

export function proxyNamed(wanted: string): Proxy | undefined {
  return proxies.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
}
