/** The inspected values of a request, in order. */
import { limits } from '../contract/policy/limits.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { bodyTargets } from './body/body.ts';
import { headerSections } from './headers.ts';
import { queryTargets } from './query.ts';
import type { BodyInspection, GuardRequest, Section, Target } from './request.ts';
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
function splitTargets({ target, rewritten }: GuardRequest): Parts[] {
  const end = target.search(pythonWhiteSpace);
  const ended = end < 0 ? [] : [target.slice(0, end)];
  return [target, ...ended, ...(rewritten === undefined ? [] : [rewritten])].map(splitTarget);
}

/** Returns the targets of the paths, which are always inspected. */
function pathTargets(parts: readonly Parts[], budget: Budget): Target[] {
  return parts.map(({ path }) => ({ name: 'path', kind: 'path', ...view(path, limits.pathBytes, budget, true) }));
}

function* queriesOf(parts: readonly Parts[], budget: Budget): Generator<Target> {
  for (const { query } of parts) if (query !== undefined) yield* queryTargets('query', query, budget, { pairs: 0 });
}

/**
 * Yields the paths with the queries, then the headers, then the body. Records in `seen` how much of the body was
 * inspected.
 */
export function* sectionsOf(policy: Policy, request: GuardRequest, seen: BodyInspection): Generator<Section> {
  const budget: Budget = { used: 0 };
  const parts = splitTargets(request);
  yield { paths: pathTargets(parts, budget), values: policy.checkQuery ? queriesOf(parts, budget) : [] };
  yield* headerSections(policy, request.headers, budget);
  if (policy.checkBody) yield { values: bodyTargets(request.headers, request.body ?? '', policy, seen) };
}
