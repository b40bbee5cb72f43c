/** The table of proxies that a sandbox can run. */
import { caddy } from './caddy.ts';
import { nginx } from './nginx.ts';
import type { Target } from './target.ts';
import { traefik } from './traefik.ts';

export const targets: readonly Target[] = [traefik, caddy, nginx];

/** Every name and alias, for help and suggestions. */
export const targetNames: readonly string[] = targets.flatMap(({ name, aliases }) => [name, ...aliases]);

/** The proxy that `name` or an alias of it stands for, in any case. */
export function targetNamed(name: string): Target | undefined {
  const wanted = name.toLowerCase();
  return targets.find((target) => target.name === wanted || target.aliases.includes(wanted));
}
