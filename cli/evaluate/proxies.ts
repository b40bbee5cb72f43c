/** The proxies whose handling of a target is known, by neutral and by real name. */
import type { receives } from '../../contract/hosts/caddy.ts';

export interface Proxy {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly load: () => Promise<typeof receives>;
}

const proxies: readonly Proxy[] = [
  {
    name: 'caddy',
    aliases: ['proxyb'],
    load: async () => (await import('../../contract/hosts/caddy.ts')).receives,
  },
];

export const proxyNames: readonly string[] = proxies.flatMap(({ name, aliases }) => [name, ...aliases]);

export function proxyNamed(wanted: string): Proxy | undefined {
  return proxies.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
}
