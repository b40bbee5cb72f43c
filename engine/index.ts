/**
 * The reference engine: it decides a request by a policy. It is a pure function, and equal to the engines in Go and
 * Lua.
 */
import { limits } from '../contract/policy/limits.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { compilePolicy } from './compiled.ts';
import { evaluate } from './evaluate.ts';
import type { GuardRequest, Verdict } from './request.ts';
import { matching, type Trace, trace } from './trace.ts';
import { type View, view } from './view.ts';

export type { BodyInspection, GuardRequest, Headers, Verdict } from './request.ts';
export type { Trace, TracedCandidate, TracedException, TracedTarget } from './trace.ts';

export type { View } from './view.ts';

export interface Guard {
  /** How many bytes of a body a verdict depends on: the inspected ones, and whether there are more. 0: none. */
  readonly bodyBytes: number;
  readonly evaluate: (request: GuardRequest) => Verdict;
  /** The verdict with every step that led to it. */
  readonly trace: (request: GuardRequest) => Trace;
  /** Ids of all rules that match a candidate of the request, whichever rule decides. */
  readonly matching: (request: GuardRequest) => ReadonlySet<string>;
}

/** A guard for a policy that `loadPolicy` resolved. It compiles what it needs at first use. */
export function compile(policy: Policy): Guard {
  const compiled = compilePolicy(policy);
  return {
    bodyBytes: policy.enabled && policy.checkBody ? policy.maxBodyBytes + 1 : 0,
    evaluate: (request) => evaluate(compiled, request),
    trace: (request) => trace(compiled, request),
    matching: (request) => matching(compiled, request),
  };
}

/** The candidates of one path. */
export function pathCandidates(path: string): View {
  return view(path, limits.pathBytes, { used: 0 });
}
