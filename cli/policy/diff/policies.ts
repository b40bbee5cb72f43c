import type { Policy } from '../../../contract/policy/schema.ts';
import { type Rule, rulesOf } from '../../../engine/rules.ts';
import { type Difference, differencesOf } from '../../apply/change.ts';
import type { DiffResult } from './result.ts';

/** Keys about rules. `changedRules` covers them in the result. */
const ruleKeys = [
  'enableDefaultPatterns',
  'enableDefaultAllowPatterns',
  'builtinRules',
  'exploits',
  'disabledRules',
  'blockPatterns',
  'allowPatterns',
  'rules',
  '$schema',
];

function withoutRules(policy: Policy): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(policy).filter(([key]) => !ruleKeys.includes(key)));
}

export const changedSettings = (old: Policy, fresh: Policy): Difference[] =>
  differencesOf(withoutRules(old), withoutRules(fresh));

const textOf = ({ action, pattern, targets }: Rule): string => JSON.stringify([action, pattern, targets]);

export function changedRules(old: Policy, fresh: Policy): DiffResult['rules'] {
  const before = new Map(rulesOf(old).map((rule) => [rule.id, textOf(rule)]));
  const after = new Map(rulesOf(fresh).map((rule) => [rule.id, textOf(rule)]));
  const both = [...after.keys()].filter((id) => before.has(id));
  return {
    added: [...after.keys()].filter((id) => !before.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(id)),
    changed: both.filter((id) => before.get(id) !== after.get(id)),
  };
}
