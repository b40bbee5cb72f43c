/** The inspected values of a request, in order. */
import { limits } from '../contract/policy/limits.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { bodyTargets } from './body/body.ts';
import { headerTargets } from './headers.ts';
import { queryTargets } from './query.ts';
import type { BodyInspection, GuardRequest, Target } from './request.ts';
import { type Parts, splitTarget } from './split.ts';
import { type Budget, view } from './view.ts';

/**
 * Bytes that end the target for Python servers: white space for `str.split` on Latin-1. nginx forwards these bytes.
 */
const pythonWhiteSpace = /[\x85\xa0]/;

/**
 * Splits up to three targets into their parts: the raw target, its part before white space, and the target after a
 * rewrite.
 */
export function splitTargets({ target, rewritten }: GuardRequest): Parts[] {
  const end = target.search(pythonWhiteSpace);
  const ended = end < 0 ? [] : [target.slice(0, end)];
  return [target, ...ended, ...(rewritten === undefined ? [] : [rewritten])].map(splitTarget);
}

/** Returns the targets of the paths, which are always inspected. */
export function pathTargets(parts: readonly Parts[], budget: Budget): Target[] {
  return parts.map(({ path }) => ({ name: 'path', kind: 'path', ...view(path, limits.pathBytes, budget, true) }));
}

/** Yields the targets of query, headers and body. Records in `seen` how much of the body was inspected. */
export function* otherTargets(
  policy: Policy,
  request: GuardRequest,
  parts: readonly Parts[],
  budget: Budget,
  seen: BodyInspection = { values: 0, bytes: 0 },
): Generator<Target> {
  for (const { query } of parts)
    if (policy.checkQuery && query !== undefined) yield* queryTargets('query', query, budget, { pairs: 0 });
  yield* headerTargets(policy.checkHeaders, request.headers, policy.checkQuery, budget);
  if (policy.checkBody) yield* bodyTargets(request.headers, request.body ?? '', policy, seen);
}
