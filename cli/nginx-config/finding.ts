/** What the checks of a configuration of nginx find, and what they all look at. */
import { type Config, luaHooks, luaOf, named } from './config.ts';
import type { Directive } from './parse.ts';

export interface Finding {
  /** A problem lets requests past the guard or keeps it from starting; a warning is worth a look. */
  readonly level: 'problem' | 'warning';
  readonly kind: string;
  readonly line: number;
  /** The directive, such as `location /api of server example.com`; empty: the configuration as a whole. */
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}
export type Check = (config: Config) => Iterable<Finding>;

export const inits = ({ http }: Config): Directive[] => [...named(http, ...luaHooks('init'))];

/** Lua that sets policies; empty where it stands in a file of its own. */
export const policyText = (config: Config): string => inits(config).map(luaOf).join('\n');
