import type { Expect } from '../../contract/cases/schema.ts';
import { type Mode, statusOf } from '../../contract/policy/modes.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import type { Finding } from '../evaluate/evaluator.ts';

export interface Got extends Pick<Finding, 'verdict' | 'reason' | 'rule' | 'target' | 'uninspected'> {
  readonly mode?: Mode;
  readonly status?: number;
}

export function gotOf(
  { verdict, reason, rule, target, uninspected, status: refusal }: Finding,
  { response }: Policy,
): Got {
  const isBlocked = verdict === 'blocked';
  const status = isBlocked ? (statusOf(response) ?? undefined) : refusal;
  return {
    ...{ verdict, reason },
    ...(rule !== undefined && { rule }),
    ...(target !== undefined && { target }),
    ...(uninspected !== undefined && { uninspected }),
    ...(isBlocked && { mode: response.mode }),
    ...(status !== undefined && { status }),
  };
}

export interface Difference {
  readonly key: keyof Expect;
  readonly expected: string | number;
  /** Null when the result has no such part. */
  readonly got: string | number | null;
}

const comparedKeys = [
  'verdict',
  'reason',
  'rule',
  'target',
  'mode',
  'status',
] as const satisfies readonly (keyof Expect)[];

/** A refused request reaches no backend, so it counts as blocked. */
function isMet(key: keyof Expect, expected: string | number, { verdict, ...got }: Got): boolean {
  if (key === 'verdict') return verdict === expected || (verdict === 'refused' && expected === 'blocked');
  if (key === 'target') return got.target === String(expected).toLowerCase();
  // Only a server can show the status of an allowed request, which the backend determines.
  if (key === 'status' && verdict === 'allowed') return true;
  return got[key] === expected;
}

export function differencesOf(expect: Expect, got: Got): Difference[] {
  return comparedKeys.flatMap((key) => {
    const expected = expect[key];
    if (expected === undefined || isMet(key, expected, got)) return [];
    return [{ key, expected, got: got[key] ?? null }];
  });
}
