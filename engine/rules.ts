/** The rules of a policy in order of evaluation. */
import literals from '../contract/generated/literals.json' with { type: 'json' };
import { type BuiltInRule, isActive, builtInRules as rows } from '../contract/policy/builtin-rules.ts';
import { patternId } from '../contract/policy/rule-ids.ts';
import type { Policy, TargetKind } from '../contract/policy/schema.ts';
import { testOf } from '../contract/regex/compile.ts';
import { literalsOf } from '../contract/regex/literals.ts';

type Action = 'allow' | 'block';

export interface Rule {
  readonly id: string;
  readonly action: Action;
  readonly pattern: string;
  readonly targets: readonly TargetKind[];
  /** True when the policy defines the rule; false for a built-in rule. */
  readonly isCustom: boolean;
  /** Every text that the rule matches contains one of these. Returns an empty list when no such literals are known. */
  readonly literals: () => readonly string[];
  /** Compiles the pattern when first called. */
  readonly test: (candidate: string) => boolean;
}

type Row = Pick<Rule, 'id' | 'action' | 'pattern' | 'targets'>;
type BuiltIn = Rule & Pick<BuiltInRule, 'size'>;

function createRule(row: Row, known?: readonly string[]): Rule {
  return {
    ...row,
    isCustom: known === undefined,
    literals: () => known ?? literalsOf(row.pattern),
    test: testOf(row.pattern),
  };
}

/**
 * The built-in rules, which all policies share. Their literals are generated, because computing them takes longer than
 * starting the CLI.
 */
const builtInRules: readonly BuiltIn[] = rows.map((row) => ({
  ...createRule(row, (literals as Record<string, string[]>)[row.id]),
  size: row.size,
}));

const allKinds: readonly TargetKind[] = ['path', 'query', 'body'];

function customRules(policy: Policy, action: Action): Rule[] {
  const listed = action === 'block' ? policy.blockPatterns : policy.allowPatterns;
  const short = listed.map((pattern, index) => ({
    id: patternId(action, index),
    action,
    pattern,
    targets: allKinds,
  }));
  return [...short, ...policy.rules.filter((rule) => rule.action === action)].map((row) => createRule(row));
}

function enabledBuiltIns(policy: Policy, action: Action): Rule[] {
  return builtInRules.filter((rule) => rule.action === action && isActive(rule, policy));
}

/** Returns allow rules, then block rules; in each group custom patterns, custom rules, built-in rules. */
export function rulesOf(policy: Policy): Rule[] {
  const actions: readonly Action[] = ['allow', 'block'];
  return actions.flatMap((action) => [...customRules(policy, action), ...enabledBuiltIns(policy, action)]);
}
