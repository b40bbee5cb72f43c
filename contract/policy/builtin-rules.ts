/** The built-in rules in order of evaluation: hand-written rules, then those for names of files. */
import nameRules from '../generated/name-rules.json' with { type: 'json' };
import patterns from './patterns.json' with { type: 'json' };
import type { RuleSize } from './rule-sizes.ts';

export interface BuiltInRule {
  readonly id: string;
  readonly action: 'block' | 'allow';
  readonly category: string;
  readonly targets: readonly ('path' | 'query' | 'body')[];
  /** The set that contains the rule. Policies use extended rules with `builtinRules: "extended"`. */
  readonly size?: RuleSize | undefined;
  readonly why: string;
  readonly pattern: string;
  readonly matches: readonly string[];
  readonly nearMisses: readonly string[];
  /** A raw target that this rule blocks, under the default policy with inspected query values. */
  readonly probe: string;
  /** A raw target that resembles a match of this rule, but is none. */
  readonly nearProbe: string;
}

export const builtInRules = [...patterns, ...nameRules] as readonly BuiltInRule[];
