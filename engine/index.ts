/** The reference engine: a pure function with the same verdicts as the engines in Go and Lua. */
import { readsBodies } from '../contract/policy/exploits.ts';
import { limits } from '../contract/policy/limits.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { compilePolicy } from './compiled.ts';
import { evaluate, upgradesOf } from './evaluate.ts';
import type { GuardRequest, Verdict } from './request.ts';
import { matchingRuleIds, type Trace, trace } from './trace.ts';
import type { Upgrades } from './upgrades.ts';
import { type View, view } from './view.ts';

export type { BodyInspection, GuardRequest, Headers, Verdict } from './request.ts';
export type { Trace, TracedCandidate, TracedException, TracedTarget } from './trace.ts';

export { keptUpgrades, type Upgrades } from './upgrades.ts';
export type { View } from './view.ts';

export interface Guard {
  /** Body bytes that can change a verdict: the inspected bytes, and one more to notice a longer body. */
  readonly bodyBytes: number;
  readonly evaluate: (request: GuardRequest) => Verdict;
  /** Returns the protocols of an allowed request to which its connection may switch. */
  readonly upgrades: (request: GuardRequest) => Upgrades;
  /** Returns the verdict with every step that led to it. */
  readonly trace: (request: GuardRequest) => Trace;
  /** Returns the ids of all rules that match a candidate of the request, not only of the rule that decides. */
  readonly matching: (request: GuardRequest) => ReadonlySet<string>;
}

/** Returns a guard for a policy that `loadPolicy` resolved. The guard compiles patterns at first use. */
export function compile(policy: Policy): Guard {
  const compiled = compilePolicy(policy);
  return {
    bodyBytes: policy.enabled && readsBodies(policy) ? policy.maxBodyBytes + 1 : 0,
    evaluate: (request) => evaluate(compiled, request),
    upgrades: (request) => upgradesOf(compiled, request),
    trace: (request) => trace(compiled, request),
    matching: (request) => matchingRuleIds(compiled, request),
  };
}

/** Returns the candidates of one path. */
export function pathCandidates(path: string): View {
  return view(path, limits.pathBytes, { used: 0 }, true);
}
