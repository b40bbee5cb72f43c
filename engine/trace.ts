/** Records the steps of a verdict: every target with its candidates, and the rule that decided each candidate. */

import type { Limit } from '../contract/policy/reasons.ts';
import type { Compiled } from './compiled.ts';
import { evaluate, scopedSections } from './evaluate.ts';
import { type ExceptionMiss, exceptedOf } from './exceptions.ts';
import { type RuleFilter, shorterReadings } from './matcher.ts';
import type { BodyInspection, GuardRequest, Target, Verdict } from './request.ts';
import type { Rule, RuleKind } from './rules.ts';

export interface TracedCandidate {
  readonly candidate: string;
  /** Id of the allow rule that excuses the candidate. */
  readonly excusedBy?: string;
  /** Id of the block rule that matches the candidate. */
  readonly blockedBy?: string;
  /** Ids of the matching block rules that exceptions disable. */
  readonly excepted?: readonly string[];
}

export interface TracedTarget {
  /** `path`, `query`, `header:<name>` or `body`. */
  readonly target: string;
  readonly kind: RuleKind;
  readonly candidates: readonly TracedCandidate[];
  readonly limit?: Limit;
}

/** The effect of an exception on a request. */
export interface TracedException {
  /** Path of the exception in the policy, such as `exceptions[0]`, or of the application that means several. */
  readonly name: string;
  /** Why the exception does not apply; absent when it applies. */
  readonly missed?: ExceptionMiss;
  /** Ids of the matching block rules that the exception disables. */
  readonly excused: readonly string[];
}

/** All targets and exceptions, including those that the verdict did not need. */
export interface Trace {
  readonly targets: readonly TracedTarget[];
  readonly exceptions: readonly TracedException[];
  /** How much of the body was inspected. Absent when it has no value to inspect, and no part was left out. */
  readonly body?: Readonly<BodyInspection>;
  readonly verdict: Verdict;
}

function traceCandidate(
  { matcherOf }: Compiled,
  kind: RuleKind,
  candidate: string,
  filter: RuleFilter,
): TracedCandidate {
  const excepted: string[] = [];
  const isOff = (matching: Rule): boolean => {
    const off = filter.isOff(matching);
    if (off) excepted.push(matching.id);
    return off;
  };
  const rule = matcherOf(kind)(candidate, { ...filter, isOff });
  return {
    candidate,
    ...(rule && { [rule.action === 'allow' ? 'excusedBy' : 'blockedBy']: rule.id }),
    ...(excepted.length > 0 && { excepted }),
  };
}

/** Returns a candidate and, unless a rule matches it, its shorter readings up to the first one that is blocked. */
function traceReadings(compiled: Compiled, kind: RuleKind, candidate: string, filter: RuleFilter): TracedCandidate[] {
  const whole = traceCandidate(compiled, kind, candidate, filter);
  if (whole.excusedBy !== undefined || whole.blockedBy !== undefined) return [whole];
  const shorter = shorterReadings(candidate, kind).map((reading) => {
    const { excusedBy, ...blocked } = traceCandidate(compiled, kind, reading, filter);
    return blocked;
  });
  const end = shorter.findIndex(({ blockedBy }) => blockedBy !== undefined) + 1 || shorter.length;
  return [whole, ...shorter.slice(0, end)];
}

function traceExceptions(
  compiled: Compiled,
  request: GuardRequest,
  paths: readonly Target[],
  targets: readonly TracedTarget[],
): TracedException[] {
  const excepted = new Set(targets.flatMap(({ candidates }) => candidates.flatMap((one) => one.excepted ?? [])));
  const compared = exceptedOf(compiled, request, paths);
  return [...Map.groupBy(compiled.exceptions, ({ name }) => name)].map(([name, parts]) => {
    const misses = parts.map(({ miss }) => miss(compared));
    const missed = misses.every((miss) => miss !== undefined) ? misses[0] : undefined;
    const applying = parts.filter((_, index) => misses[index] === undefined);
    const excused = new Set(applying.flatMap(({ rules }) => [...rules].filter((id) => excepted.has(id))));
    return { name, ...(missed && { missed }), excused: [...excused] };
  });
}

export function trace(compiled: Compiled, request: GuardRequest): Trace {
  const seen: BodyInspection = { values: 0, bytes: 0 };
  const targets: TracedTarget[] = [];
  let ofRequest: readonly Target[] | undefined;
  for (const { section, scope } of scopedSections(compiled, request, seen)) {
    const { paths, values } = section;
    ofRequest ??= paths;
    for (const { name, kind, candidates, ...limit } of [...(paths ?? []), ...values]) {
      const readings = candidates.flatMap((candidate) => traceReadings(compiled, kind, candidate, scope));
      targets.push({ target: name, kind, candidates: readings, ...limit });
    }
  }
  return {
    targets,
    exceptions: traceExceptions(compiled, request, ofRequest ?? [], targets),
    ...((seen.values > 0 || seen.overflow) && { body: seen }),
    verdict: evaluate(compiled, request),
  };
}

/**
 * Returns the ids of all rules that match a candidate of the request. Turns every matching rule off, so that the
 * matcher continues with the next rule.
 */
export function matchingRuleIds(compiled: Compiled, request: GuardRequest): ReadonlySet<string> {
  const ids = new Set<string>();
  const isOff = ({ id }: Rule): boolean => ids.add(id).has(id);
  for (const { section, scope } of scopedSections(compiled, request, { values: 0, bytes: 0 }))
    for (const { kind, candidates } of [...(section.paths ?? []), ...section.values])
      for (const candidate of candidates)
        for (const reading of [candidate, ...shorterReadings(candidate, kind)])
          compiled.matcherOf(kind)(reading, { isMet: scope.isMet, isOff });
  return ids;
}
