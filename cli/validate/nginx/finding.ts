import { type Config, luaHooks, luaOf, namedDirectives } from './config.ts';
import type { Directive } from './parse.ts';

export interface Finding {
  /** A problem lets requests bypass the guard or keeps it from working. A warning needs a review. */
  readonly level: 'problem' | 'warning';
  readonly kind: string;
  readonly line: number;
  /** Name of the scope, the directive or the variable. Empty: the whole configuration. */
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}
export type Check = (config: Config) => Iterable<Finding>;

export const inits = ({ http }: Config): Directive[] => namedDirectives(http, ...luaHooks('init'));

/** Lua that defines policies. Empty when it is in a file. */
export const policyText = (config: Config): string => inits(config).map(luaOf).join('\n');
