/** Rules of a policy that do more or less than their author thinks. */
import patterns from '../../policy/patterns.json' with { type: 'json' };
import type { Policy, TargetKind } from '../../policy/schema.ts';
import { type OwnRule, ownRules, type Test, tester } from './own-rules.ts';
import type { Warning } from './warning.ts';

/** Everyday targets with nothing in common but the first slash of a path: a pattern that finds itself in all of them means none. */
const everyday: Readonly<Record<TargetKind, readonly string[]>> = {
  path: ['/', '/q', '/Index.HTML', '/w/7/', '/%E2%82%AC', '/-_~'],
  query: ['0', 'a', 'Zq', '%E2%82%AC', '-', 'x y'],
  body: ['0', 'a', 'Zq', '%E2%82%AC', '-', 'x y'],
};

const kindOf = ({ targets }: Pick<OwnRule, 'targets'>, test: Test): TargetKind | undefined =>
  targets.find((kind) => everyday[kind].every(test));

/** Own patterns that match whatever comes. */
export function* matchesEverything(policy: Policy): Iterable<Warning> {
  for (const rule of ownRules(policy)) {
    const kind = kindOf(rule, tester(rule.pattern));
    if (!kind) continue;
    const effect = rule.action === 'block' ? 'everything is blocked' : 'nothing is blocked';
    yield { kind: 'matches_everything', path: rule.path, message: `it matches every ${kind}: ${effect}` };
  }
}

/** Exceptions that hold everywhere. */
export function* exceptionsEverywhere({ exceptions }: Policy): Iterable<Warning> {
  for (const [index, { path, hosts }] of exceptions.entries()) {
    if (hosts.length > 0 || !kindOf({ targets: ['path'] }, tester(path))) continue;
    const message = 'it matches every path: these rules are off everywhere';
    yield {
      kind: 'matches_everything',
      path: ['exceptions', index, 'path'],
      message,
      hint: 'list them in disabledRules',
    };
  }
}

const covers = (a: OwnRule, b: OwnRule): boolean =>
  a.pattern === b.pattern && b.targets.every((target) => a.targets.includes(target));

/** Own rules that another own rule with the same pattern always comes before; an allow rule comes before any block rule. */
export function* shadowedByTwin(policy: Policy): Iterable<Warning> {
  const rules = ownRules(policy);
  const byPattern = Map.groupBy(rules, ({ pattern }) => pattern);
  for (const [index, rule] of rules.entries()) {
    const twins = byPattern.get(rule.pattern) ?? [];
    const comesFirst = (other: OwnRule) =>
      other !== rule && (other.action === rule.action ? rules.indexOf(other) < index : other.action === 'allow');
    const other = twins.find((twin) => comesFirst(twin) && covers(twin, rule));
    if (other)
      yield { kind: 'shadowed', path: rule.path, message: `it has no effect: ${other.id} has the same pattern` };
  }
}

type BuiltIn = (typeof patterns)[number];

function activeBlocks(policy: Policy): BuiltIn[] {
  if (!policy.enableDefaultPatterns) return [];
  return patterns.filter(({ id, action }) => action === 'block' && !policy.disabledRules.includes(id));
}

/** Own allow rules that excuse all that a built-in rule is known for. */
export function* shadowsBuiltIn(policy: Policy): Iterable<Warning> {
  const blocks = activeBlocks(policy);
  for (const rule of ownRules(policy)) {
    const test = tester(rule.pattern);
    if (rule.action !== 'allow' || kindOf(rule, test)) continue;
    const isInScope = ({ targets }: BuiltIn) => targets.every((target) => rule.targets.some((own) => own === target));
    const shadowed = blocks.filter((block) => isInScope(block) && block.matches.every(test)).map(({ id }) => id);
    if (shadowed.length === 0) continue;
    const message = `it excuses every known example of ${shadowed.join(', ')}`;
    yield { kind: 'shadowed', path: rule.path, message, hint: 'narrow it, or list the rules in disabledRules' };
  }
}
