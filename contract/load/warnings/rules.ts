import { type BuiltInRule, builtInRules } from '../../policy/builtin-rules.ts';
import { isActive } from '../../policy/engine-rules.ts';
import { isHeaderTarget } from '../../policy/headers.ts';
import type { Policy, RuleTarget, TargetKind } from '../../policy/schema.ts';
import { type CustomRule, createTest, customRules, type Test } from './custom-rules.ts';
import type { Warning } from './warning.ts';

/**
 * Ordinary targets. A pattern that matches all of them is not specific, because their paths have only the first slash
 * in common.
 */
const ordinaryTargets: Readonly<Record<TargetKind, readonly string[]>> = {
  path: ['/', '/q', '/Index.HTML', '/w/7/', '/%E2%82%AC', '/-_~'],
  query: ['0', 'a', 'Zq', '%E2%82%AC', '-', 'x y'],
  body: ['0', 'a', 'Zq', '%E2%82%AC', '-', 'x y'],
};

const kindOf = ({ targets }: Pick<CustomRule, 'targets'>, test: Test): RuleTarget | undefined =>
  targets.find((target) => ordinaryTargets[isHeaderTarget(target) ? 'body' : target].every(test));

export function* matchesEverything(policy: Policy): Iterable<Warning> {
  for (const rule of customRules(policy)) {
    const kind = kindOf(rule, rule.test);
    if (!kind) continue;
    const effect = rule.action === 'block' ? 'everything is blocked' : 'nothing is blocked';
    yield { kind: 'matches_everything', path: rule.path, message: `it matches every ${kind}: ${effect}` };
  }
}

export function* exceptionsEverywhere({ exceptions }: Policy): Iterable<Warning> {
  for (const [index, { path, hosts, clients }] of exceptions.entries()) {
    if (hosts.length > 0 || clients.length > 0 || !kindOf({ targets: ['path'] }, createTest(path))) continue;
    const message = 'it matches every path: these rules are off everywhere';
    yield {
      kind: 'matches_everything',
      path: ['exceptions', index, 'path'],
      message,
      hint: 'list them in disabledRules',
    };
  }
}

/** Warns of applications for every host in a policy that names hosts elsewhere. */
export function* applicationsEverywhere({ applications, exceptions }: Policy): Iterable<Warning> {
  if (![...applications, ...exceptions].some(({ hosts }) => hosts.length > 0)) return;
  const message = 'it applies to every host, but the policy names hosts: files of the application pass on all of them';
  for (const [index, { name, hosts }] of applications.entries())
    if (hosts.length === 0)
      yield { kind: 'every_host', path: ['applications', index], message, hint: `add "hosts" to "${name}"` };
}

const covers = (a: CustomRule, b: CustomRule): boolean =>
  a.pattern === b.pattern && b.targets.every((target) => a.targets.includes(target));

/** Warns of custom rules after another custom rule with the same pattern. An allow rule precedes every block rule. */
export function* shadowedByTwin(policy: Policy): Iterable<Warning> {
  const rules = customRules(policy);
  const byPattern = Map.groupBy(rules, ({ pattern }) => pattern);
  for (const [index, rule] of rules.entries()) {
    const twins = byPattern.get(rule.pattern) ?? [];
    const comesFirst = (other: CustomRule) =>
      other !== rule && (other.action === rule.action ? rules.indexOf(other) < index : other.action === 'allow');
    const other = twins.find((twin) => comesFirst(twin) && covers(twin, rule));
    if (other)
      yield { kind: 'shadowed', path: rule.path, message: `it has no effect: ${other.id} has the same pattern` };
  }
}

const activeBlocks = (policy: Policy): BuiltInRule[] =>
  builtInRules.filter((rule) => rule.action === 'block' && isActive(rule, policy));

/** Warns of allow rules that excuse every example of a built-in rule. */
export function* shadowsBuiltIn(policy: Policy): Iterable<Warning> {
  const blocks = activeBlocks(policy);
  for (const rule of customRules(policy)) {
    if (rule.action !== 'allow' || kindOf(rule, rule.test)) continue;
    const isInScope = ({ targets }: BuiltInRule) =>
      targets.every((target) => rule.targets.some((own) => own === target));
    const shadowed = blocks.filter((block) => isInScope(block) && block.matches.every(rule.test)).map(({ id }) => id);
    if (shadowed.length === 0) continue;
    const message = `it excuses every known example of ${shadowed.join(', ')}`;
    yield { kind: 'shadowed', path: rule.path, message, hint: 'narrow it, or list the rules in disabledRules' };
  }
}
