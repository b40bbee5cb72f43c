import { patternId } from '../../policy/pattern-id.ts';
import { type Policy, type RuleTarget, targetKinds } from '../../policy/schema.ts';
import { testOf } from '../../regex/compile.ts';
import { literalsOf } from '../../regex/literals.ts';
import { createPrefilter, type Prefilter } from '../../regex/prefilter.ts';
import type { Path } from '../../schema/problem.ts';

export interface CustomRule {
  readonly id: string;
  readonly action: 'block' | 'allow';
  readonly pattern: string;
  readonly targets: readonly RuleTarget[];
  readonly path: Path;
  /** Returns whether the pattern matches. The text must be printable ASCII. */
  readonly test: Test;
}

export type Test = (text: string) => boolean;

/**
 * Returns a test that compiles the pattern at the first text with one of its literals. Compiling can take 0.1 s, and
 * few texts have them.
 */
export function createTest(pattern: string): Test {
  let prefilter: Prefilter | undefined;
  const test = testOf(pattern);
  return (text) => {
    prefilter ??= createPrefilter([literalsOf(pattern)]);
    return prefilter(text).length > 0 && test(text);
  };
}

const rulesOfList = (action: CustomRule['action'], key: string, patterns: readonly string[]): CustomRule[] =>
  patterns.map((pattern, index) => ({
    id: patternId(action, index),
    action,
    pattern,
    targets: targetKinds,
    path: [key, index],
    test: createTest(pattern),
  }));

function rulesOf({ blockPatterns, allowPatterns, rules }: Policy): readonly CustomRule[] {
  return [
    ...rulesOfList('block', 'blockPatterns', blockPatterns),
    ...rulesOfList('allow', 'allowPatterns', allowPatterns),
    ...rules.map(({ id, action, pattern, targets }, index) => ({
      ...{ id, action, pattern, targets },
      path: ['rules', index, 'pattern'],
      test: createTest(pattern),
    })),
  ];
}

const rulesOfPolicies = new WeakMap<Policy, readonly CustomRule[]>();

/** Returns the custom rules. All checks of a policy share this list, so that each pattern is compiled once. */
export function customRules(policy: Policy): readonly CustomRule[] {
  const rules = rulesOfPolicies.get(policy) ?? rulesOf(policy);
  rulesOfPolicies.set(policy, rules);
  return rules;
}

/** Returns every pattern of a policy with its path: those of rules and of exceptions. */
export function patternsOf(policy: Policy): Pick<CustomRule, 'pattern' | 'path'>[] {
  const excepted = policy.exceptions.map(({ path }, index) => ({ pattern: path, path: ['exceptions', index, 'path'] }));
  return [...customRules(policy), ...excepted];
}
