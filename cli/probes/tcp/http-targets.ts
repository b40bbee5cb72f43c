/** Request targets that a policy allows, and targets that it blocks. */

import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { compile } from '../../../engine/index.ts';
import { asPath, examplesOf } from '../examples.ts';

export interface Targets {
  readonly passing: string;
  /** Absent when the policy blocks none of the known targets. */
  readonly blocked?: string;
}

/** Few policies block all of these targets. */
const harmlessTargets = ['/probe', '/', '/index.html'];

function* attackTargets({ blockPatterns, rules }: Policy): Iterable<string> {
  for (const { action, probe } of builtInRules) if (action === 'block') yield probe;
  const own = [...blockPatterns, ...rules.filter(({ action }) => action === 'block').map(({ pattern }) => pattern)];
  for (const pattern of own) yield* examplesOf(pattern).map(asPath);
}

const cache = new WeakMap<Policy, Map<string, Targets>>();

function findTargets(policy: Policy, host: string): Targets {
  const guard = compile(policy);
  const isBlocked = (target: string): boolean =>
    guard.evaluate({ method: 'GET', target, headers: [['Host', host]], host, ip: '198.51.100.1' }).verdict ===
    'blocked';
  const blocked = [...attackTargets(policy)].find(isBlocked);
  const passing = harmlessTargets.find((target) => !isBlocked(target)) ?? '/probe';
  return { passing, ...(blocked !== undefined && { blocked }) };
}

/** Returns targets for GET with this Host header. */
export function targetsOf(policy: Policy, host: string): Targets {
  const targetsByHost = cache.get(policy) ?? new Map<string, Targets>();
  cache.set(policy, targetsByHost);
  const targets = targetsByHost.get(host) ?? findTargets(policy, host);
  targetsByHost.set(host, targets);
  return targets;
}
