/** The rules of a policy in order of evaluation. */
import { type EngineRule, engineRules, isActive } from '../contract/policy/engine-rules.ts';
import { type Conditions, exploitRules, isExploitOn, type wholeQuery } from '../contract/policy/exploits.ts';
import { headerKey } from '../contract/policy/headers.ts';
import { patternId } from '../contract/policy/pattern-id.ts';
import type { Policy, RuleTarget, TargetKind } from '../contract/policy/schema.ts';
import { testOf } from '../contract/regex/compile.ts';
import { literalsOf } from '../contract/regex/literals.ts';

type Action = 'allow' | 'block';

/** The kinds of targets that rules are matched against. */
export type RuleKind = RuleTarget | typeof wholeQuery;

export interface Rule {
  readonly id: string;
  readonly action: Action;
  readonly pattern: string;
  readonly targets: readonly RuleKind[];
  /** What else a request must have. Only rules of the key `exploits` have conditions. */
  readonly conditions?: Conditions;
  /** True when the policy defines the rule; false for a built-in rule. */
  readonly isCustom: boolean;
  /** Every text that the rule matches contains one of these. Returns an empty list when no such literals are known. */
  readonly literals: () => readonly string[];
  /** Compiles the pattern when first called. */
  readonly test: (candidate: string) => boolean;
}

type Row = Pick<Rule, 'id' | 'action' | 'pattern' | 'targets' | 'conditions'>;
type BuiltIn = Rule & Pick<EngineRule, 'size'>;

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
const builtInRules: readonly BuiltIn[] = engineRules.map(({ literals, category: _, ...row }) => ({
  ...createRule(row, literals),
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
  const long = policy.rules.filter((rule) => rule.action === action);
  const named = long.map((rule) => ({
    ...rule,
    targets: rule.targets.map((target) => headerKey(target) as RuleTarget),
  }));
  return [...short, ...named].map((row) => createRule(row));
}

/** Rules that a policy has used: most policies use none of them. */
const exploitsById = new Map<string, Rule>();

function enabledExploits({ exploits, disabledRules }: Policy): Rule[] {
  if (exploits === 'off') return [];
  const enabled = exploitRules().filter((rule) => isExploitOn(rule, exploits) && !disabledRules.includes(rule.id));
  return enabled.map(({ id, action, pattern, targets, conditions, literals }) =>
    exploitsById.getOrInsertComputed(id, () => createRule({ id, action, pattern, targets, conditions }, literals)),
  );
}

function enabledBuiltIns(policy: Policy, action: Action): Rule[] {
  const enabled = builtInRules.filter((rule) => rule.action === action && isActive(rule, policy));
  return action === 'block' ? [...enabled, ...enabledExploits(policy)] : enabled;
}

/** Returns allow rules, then block rules; in each group custom patterns, custom rules, built-in rules. */
export function rulesOf(policy: Policy): Rule[] {
  const actions: readonly Action[] = ['allow', 'block'];
  return actions.flatMap((action) => [...customRules(policy, action), ...enabledBuiltIns(policy, action)]);
}
