/** How a verdict came about: every target with its candidates, and the rule that spoke on each. */

import type { Limit } from '../policy/reasons.ts';
import type { TargetKind } from '../policy/schema.ts';
import type { Compiled } from './compiled.ts';
import { evaluate } from './evaluate.ts';
import { rulesOff } from './exceptions.ts';
import type { GuardRequest, Target, Verdict } from './request.ts';
import { otherTargets, pathTargets, splitTargets } from './targets.ts';
import type { Budget } from './view.ts';

export interface TracedCandidate {
  readonly candidate: string;
  /** Id of the allow rule that excuses it. */
  readonly excusedBy?: string;
  /** Id of the block rule that matches it. */
  readonly blockedBy?: string;
}

export interface TracedTarget {
  /** `path`, `query`, `header:<name>` or `body`. */
  readonly target: string;
  readonly kind: TargetKind;
  readonly candidates: readonly TracedCandidate[];
  readonly limit?: Limit;
}

/** Targets stand here even if the verdict was reached before they were looked at. */
export interface Trace {
  readonly targets: readonly TracedTarget[];
  readonly verdict: Verdict;
}

export function trace(compiled: Compiled, request: GuardRequest): Trace {
  const budget: Budget = { used: 0 };
  const parts = splitTargets(request);
  const paths = pathTargets(parts, budget);
  const isOff = rulesOff(compiled.exceptions, request.host ?? '', paths);
  const traced = ({ name, kind, candidates, ...limit }: Target): TracedTarget => ({
    target: name,
    kind,
    candidates: candidates.map((candidate) => {
      const rule = compiled.matchers[kind](candidate, isOff);
      return { candidate, ...(rule && { [rule.action === 'allow' ? 'excusedBy' : 'blockedBy']: rule.id }) };
    }),
    ...limit,
  });
  const targets = [...paths, ...otherTargets(compiled.policy, request, parts, budget)].map(traced);
  return { targets, verdict: evaluate(compiled, request) };
}
