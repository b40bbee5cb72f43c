/** The inspected values of a request, in order. */
import { limits } from '../contract/policy/limits.ts';
import type { Policy } from '../contract/policy/schema.ts';
import { bodyTargets } from './body/body.ts';
import { wholeQueryTarget } from './exploits.ts';
import { headerSections } from './headers.ts';
import { queryTargets } from './query.ts';
import type { BodyInspection, GuardRequest, Section, Target } from './request.ts';
import { type Parts, splitTargets } from './split.ts';
import { type Budget, view } from './view.ts';

/** Returns the targets of the paths, which are always inspected. */
function pathTargets(parts: readonly Parts[], budget: Budget): Target[] {
  return parts.map(({ path }) => ({ name: 'path', kind: 'path', ...view(path, limits.pathBytes, budget, true) }));
}

function* queriesOf(
  { checkQuery }: Policy,
  parts: readonly Parts[],
  budget: Budget,
  isExploitable: boolean,
): Generator<Target> {
  if (isExploitable) yield* wholeQueryTarget(parts);
  if (!checkQuery) return;
  for (const { query } of parts) if (query !== undefined) yield* queryTargets('query', query, budget, { pairs: 0 });
}

/**
 * Yields the paths with the queries, then the headers, then the body. Records in `seen` how much of the body was
 * inspected.
 */
export function* sectionsOf(
  policy: Policy,
  request: GuardRequest,
  seen: BodyInspection,
  exploitMethods: ReadonlySet<string>,
): Generator<Section> {
  const budget: Budget = { used: 0 };
  const parts = splitTargets(request);
  const isExploitable = exploitMethods.has(request.method.toUpperCase());
  yield { paths: pathTargets(parts, budget), values: queriesOf(policy, parts, budget, isExploitable) };
  yield* headerSections(policy, request.headers, budget);
  if (policy.checkBody) yield { values: bodyTargets(request.headers, request.body ?? '', policy, seen) };
}
