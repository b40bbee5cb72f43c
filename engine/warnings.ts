/** Warnings about a policy that need a verdict. `contract/load` returns all others. */
import type { LoadedFile, Problem } from '../contract/load/problem.ts';
import { byPosition, type Warning, withPositions } from '../contract/load/warnings/warning.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { compile } from './index.ts';

/** Warns of a redirect to a target that the policy blocks: the client would be redirected in a loop. */
function* blockedRedirect(policy: Policy): Iterable<Warning> {
  const { mode, redirectUrl } = policy.response;
  if (mode !== 'redirect' || !redirectUrl.startsWith('/')) return;
  const { verdict, rule, reason } = compile(policy).evaluate({ method: 'GET', target: redirectUrl, headers: [] });
  if (verdict !== 'blocked') return;
  const message = `the policy blocks this target itself (${rule ?? reason}): the client is redirected in a loop`;
  yield {
    kind: 'blocked_redirect',
    path: ['response', 'redirectUrl'],
    message,
    hint: 'allow this target, or redirect to another one',
  };
}

/** Returns every warning about a policy, in the order of its file. */
export function warningsOf({ value, warnings, place }: LoadedFile<Policy>): readonly Problem[] {
  const found = withPositions(blockedRedirect(value), { place });
  return [...warnings, ...found].sort(byPosition);
}
