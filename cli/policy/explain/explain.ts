import { exceptionsOf } from '../../../contract/policy/applications.ts';
import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import { switchedOff } from '../../../contract/policy/engine-rules.ts';
import { exploitExamples, textOf } from '../../../contract/policy/exploit-examples.ts';
import { type Conditions, exploitRules, isExploitOn } from '../../../contract/policy/exploits.ts';
import { builtInActions } from '../../../contract/policy/rule-ids.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { compileRegex } from '../../../contract/regex/compile.ts';
import { didYouMean } from '../../../contract/values/nearest.ts';
import { rulesOf } from '../../../engine/rules.ts';
import { UsageError } from '../../../platform/errors.ts';
import { filesOf, type NamedFile } from '../../evaluate/products.ts';
import { examplesOf, nearTextsOf } from '../../probes/examples.ts';

export interface CoveringException {
  readonly name: string;
  readonly path: string;
  /** Empty when the exception applies to all hosts. */
  readonly hosts: readonly string[];
  /** Empty when the exception applies to all clients. */
  readonly clients: readonly string[];
}

export interface ExplainedExploit extends Pick<Conditions, 'methods' | 'query' | 'headers' | 'body'> {
  readonly product: string;
  /** Date in the catalogue of known exploited vulnerabilities. Absent when it is not there. */
  readonly known?: string;
  readonly source: string;
}

export interface Explanation {
  readonly id: string;
  readonly action: 'block' | 'allow';
  readonly origin: 'built-in' | 'policy';
  readonly category?: string;
  /** Reason of a built-in rule, or description of a custom one. May be empty. */
  readonly why: string;
  readonly targets: readonly string[];
  readonly pattern: string;
  readonly matches: readonly string[];
  readonly nearMisses: readonly string[];
  /** Files of products that the rule matches. Absent for a rule that is not from the table of products. */
  readonly products?: readonly NamedFile[];
  /** What a rule of the key `exploits` requires besides a match. */
  readonly exploit?: ExplainedExploit;
  /** Path of the policy file. Null when the default policy applies. */
  readonly policy: string | null;
  readonly active: boolean;
  readonly inactive?: string;
  readonly exceptions: readonly CoveringException[];
}

type Parts = Omit<Explanation, 'policy' | 'active' | 'inactive' | 'exceptions'>;

const shownExamples = 5;

function exploitParts(id: string): Parts | undefined {
  const row = exploitRules().find((rule) => rule.id === id);
  if (!row) return undefined;
  const { action, category, why, targets, pattern, product, known, source } = row;
  const { attacks, nearMisses } = exploitExamples(id);
  const examples = { matches: attacks.map(textOf), nearMisses: nearMisses.map(textOf) };
  const { set, ...conditions } = row.conditions;
  const exploit = { product, ...(known !== undefined && { known }), source, ...conditions };
  return { ...{ id, action, origin: 'built-in', category, why, targets, pattern }, ...examples, exploit };
}

function builtInParts(id: string): Parts | undefined {
  const row = builtInRules.find((rule) => rule.id === id);
  if (!row) return exploitParts(id);
  const { action, category, why, targets, pattern, matches, nearMisses } = row;
  const products = filesOf(id);
  const parts = { id, action, origin: 'built-in', category, why, targets, pattern, matches, nearMisses } as const;
  return { ...parts, ...(products.length > 0 && { products }) };
}

/** Explains a custom rule. Its examples are built from its pattern. */
function customParts(id: string, policy: Policy): Parts | undefined {
  const rule = rulesOf(policy).find((one) => one.id === id);
  if (!rule) return undefined;
  const { action, pattern, targets } = rule;
  const why = policy.rules.find((one) => one.id === id)?.description ?? '';
  const regex = compileRegex(pattern);
  const matches = examplesOf(pattern).filter((text) => regex.test(text));
  const near = matches.flatMap((text) => nearTextsOf(text).find((other) => !regex.test(other)) ?? []);
  const examples = { matches: matches.slice(0, shownExamples), nearMisses: [...new Set(near)].slice(0, shownExamples) };
  return { ...{ id, action, origin: 'policy', why, targets, pattern }, ...examples };
}

export function inactiveReason({ id, action }: Pick<Parts, 'id' | 'action'>, policy: Policy): string | undefined {
  if (!policy.enabled) return 'enabled is false';
  if (!builtInActions().has(id)) return undefined;
  if (policy.disabledRules.includes(id)) return 'disabledRules contains it';
  const exploit = exploitRules().find((rule) => rule.id === id);
  if (exploit) return isExploitOn(exploit, policy.exploits) ? undefined : `exploits is ${policy.exploits}`;
  return switchedOff({ action, size: builtInRules.find((rule) => rule.id === id)?.size }, policy);
}

export function unknownRule(id: string, policy: Policy): UsageError {
  const ids = [...new Set([...builtInActions().keys(), ...rulesOf(policy).map((rule) => rule.id)])];
  const hint = didYouMean(id, ids) ?? 'guardcli explain lists the rules';
  return new UsageError(`no rule has the id ${JSON.stringify(id)} or is about it`, { code: 'unknown_rule', hint });
}

/** Explains a rule. Returns undefined when neither the built-in rules nor the policy have the id. */
export function explainRule(id: string, policy: Policy, policyName: string | null): Explanation | undefined {
  const parts = builtInParts(id) ?? customParts(id, policy);
  if (!parts) return undefined;
  const inactive = inactiveReason(parts, policy);
  const exceptions = exceptionsOf(policy).flatMap(({ name, rules, path, hosts, clients }) =>
    rules.includes(id) ? [{ name, path, hosts, clients }] : [],
  );
  const state = { active: inactive === undefined, ...(inactive !== undefined && { inactive }) };
  return { ...parts, policy: policyName, ...state, exceptions };
}
