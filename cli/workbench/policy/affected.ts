/** Recent requests whose verdict another policy would change. Pure. */
import type { Policy } from '../../../contract/policy/schema.ts';
import { guardOf } from '../guards.ts';
import type { RecentRequest } from '../recent.ts';

export interface Affected {
  readonly recent: RecentRequest;
  readonly before: 'allowed' | 'blocked';
  readonly after: 'allowed' | 'blocked';
  /** The rule that decides with the other policy. */
  readonly rule: string | undefined;
}

export function affectedRequests(requests: readonly RecentRequest[], policy: Policy, other: Policy): Affected[] {
  return requests.flatMap((recent) => {
    const before = guardOf(policy).evaluate(recent.request);
    const after = guardOf(other).evaluate(recent.request);
    if (before.verdict === after.verdict && before.rule === after.rule) return [];
    return [{ recent, before: before.verdict, after: after.verdict, rule: after.rule }];
  });
}
