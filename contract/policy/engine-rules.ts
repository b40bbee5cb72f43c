/** The built-in rules without their reasons and examples, and the keys that turn them off. */
import rows from '../generated/engine-rules.json' with { type: 'json' };
import type { BuiltInRule } from './builtin-rules.ts';
import type { RuleSize } from './rule-sizes.ts';

export interface EngineRule extends Pick<BuiltInRule, 'id' | 'action' | 'category' | 'targets' | 'size' | 'pattern'> {
  /** In lower case. Every text that the pattern matches contains one of them. */
  readonly literals: readonly string[];
}

/** In order of evaluation. */
export const engineRules = rows as readonly EngineRule[];

export interface RuleChoice {
  readonly enableDefaultPatterns: boolean;
  readonly enableDefaultAllowPatterns: boolean;
  readonly builtinRules: RuleSize;
}

/** Returns the key and value that turn off the set of the rule. Ignores `disabledRules`. */
export function switchedOff(
  { action, size }: Pick<BuiltInRule, 'action' | 'size'>,
  { enableDefaultPatterns, enableDefaultAllowPatterns, builtinRules }: RuleChoice,
): string | undefined {
  if (action === 'block' && !enableDefaultPatterns) return 'enableDefaultPatterns is false';
  if (action === 'allow' && !enableDefaultAllowPatterns) return 'enableDefaultAllowPatterns is false';
  if (size === 'extended' && builtinRules !== 'extended') return 'builtinRules is standard';
  return undefined;
}

export const isActive = (
  rule: Pick<BuiltInRule, 'id' | 'action' | 'size'>,
  policy: RuleChoice & { readonly disabledRules: readonly string[] },
): boolean => switchedOff(rule, policy) === undefined && !policy.disabledRules.includes(rule.id);
