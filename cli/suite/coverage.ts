/**
 * Computes which rules the cases of a suite cover.
 * - A rule is hit when the verdict of a case names it.
 * - An exception is hit when it excuses a rule in a case.
 * - A near miss of a rule is a case with a candidate that the rule matches, although the verdict does not name it.
 * - A near miss of an exception is a case that the exception covers, but none of its rules matches.
 */

import { exceptionsOf } from '../../contract/policy/applications.ts';
import type { AllowedReason } from '../../contract/policy/reasons.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { compile, type Guard, type GuardRequest } from '../../engine/index.ts';
import { type Rule, rulesOf } from '../../engine/rules.ts';
import type { Finding } from '../evaluate/evaluator.ts';
import type { SuitePolicy } from './case.ts';

export const coverageKinds = ['block', 'allow', 'exception'] as const;
export type CoverageKind = (typeof coverageKinds)[number];

export interface RuleCoverage {
  /** Id of the rule, or path of the exception in the policy. */
  readonly id: string;
  readonly kind: CoverageKind;
  readonly state: 'hit' | 'near_miss' | 'never';
}

export interface PolicyCoverage {
  readonly policy: string | null;
  readonly percent: number;
  readonly rules: readonly RuleCoverage[];
}

/** Reasons of verdicts without inspection. */
const bypassReasons: readonly string[] = ['disabled', 'method_not_inspected', 'allowed_ip'] satisfies AllowedReason[];

interface Item {
  readonly id: string;
  readonly kind: CoverageKind;
}

const exceptionNames = (policy: Policy): string[] => [...new Set(exceptionsOf(policy).map(({ name }) => name))];

function itemsOf(policy: Policy): Item[] {
  const rules = rulesOf(policy).map(({ id, action }: Rule): Item => ({ id, kind: action }));
  return [...rules, ...exceptionNames(policy).map((id): Item => ({ id, kind: 'exception' }))];
}

/** Returns a percentage, rounded down, so that 100 means all. */
export const percentOf = (hit: number, all: number): number => (all === 0 ? 100 : Math.floor((100 * hit) / all));

export interface PolicyRecorder {
  readonly guard: Guard;
  /** Records a verdict. @param request as the guard receives it */
  readonly add: (request: GuardRequest, verdict: Pick<Finding, 'rule' | 'reason'>) => void;
  readonly result: () => PolicyCoverage;
}

export function recordCoverage({ policy, name }: SuitePolicy): PolicyRecorder {
  const guard = compile(policy);
  const hits = new Set<string>();
  const near = new Set<string>();
  const stateOf = (id: string) => (hits.has(id) ? 'hit' : near.has(id) ? 'near_miss' : 'never');
  const addExceptions = (request: GuardRequest): void => {
    for (const { name: id, missed, excused } of guard.trace(request).exceptions) {
      if (excused.length > 0) hits.add(id);
      else if (!missed) near.add(id);
    }
  };
  return {
    guard,
    add: (request, { rule, reason }) => {
      if (bypassReasons.includes(reason)) return;
      if (rule !== undefined) hits.add(rule);
      for (const id of guard.matching(request)) near.add(id);
      if (policy.exceptions.length + policy.applications.length > 0) addExceptions(request);
    },
    result: () => {
      const rules = itemsOf(policy).map((item) => ({ ...item, state: stateOf(item.id) }) as const);
      const hit = rules.filter(({ state }) => state === 'hit').length;
      return { policy: name, percent: percentOf(hit, rules.length), rules };
    },
  };
}
