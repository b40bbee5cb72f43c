/** Lists rules, and finds rules by a word. */
import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import { exploitRules } from '../../../contract/policy/exploits.ts';
import { builtInActions } from '../../../contract/policy/rule-ids.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { rulesOf } from '../../../engine/rules.ts';
import { filesOf } from '../../evaluate/products.ts';
import { type Explanation, inactiveReason } from './explain.ts';

export interface ListedRule extends Pick<Explanation, 'id' | 'action' | 'origin' | 'why' | 'active'> {
  readonly category?: string;
}

export interface RuleList {
  /** The searched word. Null when every rule is listed. */
  readonly word: string | null;
  /** Path of the policy file. Null when the default policy applies. */
  readonly policy: string | null;
  /** Custom rules come first. */
  readonly rules: readonly ListedRule[];
}

/** A rule, and the texts in which a word is searched. */
interface Searched {
  readonly rule: ListedRule;
  readonly texts: () => readonly string[];
}

function allRules(policy: Policy): Searched[] {
  const custom = rulesOf(policy)
    .filter(({ id }) => !builtInActions().has(id))
    .map(({ id, action, pattern }): Searched => {
      const why = policy.rules.find((one) => one.id === id)?.description ?? '';
      return { rule: { id, action, origin: 'policy', why, active: policy.enabled }, texts: () => [id, why, pattern] };
    });
  const builtIn = builtInRules.map(({ id, action, category, why, matches }): Searched => {
    const active = inactiveReason({ id, action }, policy) === undefined;
    const rule = { id, action, origin: 'built-in', category, why, active } as const;
    const products = () => filesOf(id).flatMap(({ name, product }) => [name, product]);
    return { rule, texts: () => [id, category, why, ...matches, ...products()] };
  });
  const exploits = exploitRules().map(({ id, action, category, why, product }): Searched => {
    const active = inactiveReason({ id, action }, policy) === undefined;
    const rule = { id, action, origin: 'built-in', category, why: `${product}: ${why}`, active } as const;
    return { rule, texts: () => [id, product, why] };
  });
  return [...custom, ...builtIn, ...exploits];
}

export const listRules = (policy: Policy, name: string | null): RuleList => ({
  word: null,
  policy: name,
  rules: allRules(policy).map(({ rule }) => rule),
});

/**
 * Searches ids and reasons, categories, examples and products of built-in rules, and patterns of custom rules. Rules
 * with the word in their id come first.
 */
export function searchRules(word: string, policy: Policy, name: string | null): RuleList {
  const lower = word.toLowerCase();
  const isAbout = ({ texts }: Searched): boolean => texts().some((text) => text.toLowerCase().includes(lower));
  const found = word === '' ? [] : allRules(policy).filter(isAbout);
  const hasInId = ({ id }: ListedRule): boolean => id.toLowerCase().includes(lower);
  const rules = found.map(({ rule }) => rule).sort((one, other) => Number(hasInId(other)) - Number(hasInId(one)));
  return { word, policy: name, rules };
}

/** Lists the rules of the key `exploits`, newest first. @param since the first date in the catalogue, or its start */
export function listExploits(since: string | undefined, policy: Policy, name: string | null): RuleList {
  const known = new Map(exploitRules().map((rule) => [rule.id, rule.known ?? '']));
  const dateOf = ({ id }: ListedRule): string => known.get(id) ?? '';
  const rules = listRules(policy, name).rules.filter(({ id }) => known.has(id));
  return {
    ...{ word: null, policy: name },
    rules: rules
      .filter((rule) => since === undefined || dateOf(rule) >= since)
      .map((rule) => ({ ...rule, why: dateOf(rule) === '' ? rule.why : `${dateOf(rule)} ${rule.why}` }))
      .sort((one, other) => (dateOf(one) < dateOf(other) ? 1 : dateOf(one) > dateOf(other) ? -1 : 0)),
  };
}
