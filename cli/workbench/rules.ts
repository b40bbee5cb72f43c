import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import { exploitExamples, textOf } from '../../contract/policy/exploit-examples.ts';
import { exploitRules } from '../../contract/policy/exploits.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { type Rule, rulesOf } from '../../engine/rules.ts';

export interface RuleInfo extends Pick<Rule, 'id' | 'action' | 'pattern' | 'targets' | 'isCustom'> {
  /** Reason of a built-in rule, or description of a custom rule. */
  readonly why: string;
  /** Only built-in rules have examples. */
  readonly matches: readonly string[];
  readonly nearMisses: readonly string[];
}

type BuiltIn = Pick<RuleInfo, 'why' | 'matches' | 'nearMisses'>;

const builtIn = new Map<string, BuiltIn>([
  ...builtInRules.map((row): [string, BuiltIn] => [row.id, row]),
  ...exploitRules().map(({ id, why }): [string, BuiltIn] => {
    const { attacks, nearMisses } = exploitExamples(id);
    return [id, { why, matches: attacks.map(textOf), nearMisses: nearMisses.map(textOf) }];
  }),
]);

function infoOf(policy: Policy, { id, action, pattern, targets, isCustom }: Rule): RuleInfo {
  const described = policy.rules.find((rule) => rule.id === id)?.description ?? '';
  const { why, matches, nearMisses } = (isCustom ? undefined : builtIn.get(id)) ?? {
    ...{ why: described, matches: [], nearMisses: [] },
  };
  return { id, action, pattern, targets, isCustom, why, matches, nearMisses };
}

const cache = new WeakMap<Policy, ReadonlyMap<string, RuleInfo>>();

/** Returns the rules by id, in order of evaluation. */
export const ruleInfos = (policy: Policy): ReadonlyMap<string, RuleInfo> =>
  cache.getOrInsertComputed(policy, () => new Map(rulesOf(policy).map((rule) => [rule.id, infoOf(policy, rule)])));
