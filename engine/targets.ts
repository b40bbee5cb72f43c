/** The inspected values of a request, in order. */
import { limits } from '../contract/policy/limits.ts';
import { bodyTargets } from './body/body.ts';
import type { Compiled } from './compiled.ts';
import { wholeQueryTarget } from './exploits.ts';
import { headerSections, lineTargets } from './headers.ts';
import { queryTargets } from './query.ts';
import type { BodyInspection, GuardRequest, Section, Target } from './request.ts';
import { type Parts, splitTargets } from './split.ts';
import { type Budget, view } from './view.ts';

/** Returns the targets of the paths, which are always inspected. */
function pathTargets(parts: readonly Parts[], budget: Budget): Target[] {
  return parts.map(({ path }) => ({ name: 'path', kind: 'path', ...view(path, limits.pathBytes, budget, true) }));
}

function* valuesOf(
  compiled: Compiled,
  request: GuardRequest,
  parts: readonly Parts[],
  budget: Budget,
): Generator<Target> {
  if (compiled.exploitMethods.has(request.method.toUpperCase())) yield* wholeQueryTarget(parts);
  if (compiled.policy.checkQuery)
    for (const { query } of parts) if (query !== undefined) yield* queryTargets('query', query, budget, { pairs: 0 });
  if (compiled.headerTargets.length > 0) yield* lineTargets(compiled.headerTargets, request.headers);
}

/**
 * Yields the paths with the queries and the headers of custom rules, then the other headers, then the body. Records in
 * `seen` how much of the body was inspected.
 */
export function* sectionsOf(compiled: Compiled, request: GuardRequest, seen: BodyInspection): Generator<Section> {
  const { policy } = compiled;
  const budget: Budget = { used: 0 };
  const parts = splitTargets(request);
  yield { paths: pathTargets(parts, budget), values: valuesOf(compiled, request, parts, budget) };
  if (policy.checkHeaders.length > 0) yield* headerSections(policy, request.headers, budget);
  if (policy.checkBody) yield { values: bodyTargets(request.headers, request.body ?? '', policy, seen) };
}
