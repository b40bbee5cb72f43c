/** Counts over a list of targets, in bounded memory. */
import type { Expectation } from '../evaluate/result.ts';
import { copyOf, countOne, sortedCounts } from './counts.ts';
import type { NonTargetLines, PathResult, PathsResult, RuleCount } from './result.ts';

/** Maximum number of unexpected verdicts that are kept as examples. */
const mostDisagreements = 20;
/** Targets shown per rule. */
const shownTargets = 3;
/**
 * Maximum number of targets with a count, over all rules. Targets with the same first `countedBytes` bytes count as
 * one.
 */
const [countedTargets, countedBytes] = [10_000, 256];

export interface Tally {
  readonly emptyLine: () => void;
  readonly add: (result: PathResult) => void;
  readonly result: (list: string, policy: string | null, expect: Expectation | undefined) => PathsResult;
}

function createRuleCounts() {
  const rules = new Map<string, { count: number; readonly targets: Map<string, number> }>();
  let remainingTargets = countedTargets;
  return {
    add(rule: string, target: string): void {
      const row = rules.get(rule) ?? { count: 0, targets: new Map<string, number>() };
      rules.set(rule, row);
      row.count += 1;
      const name = target.slice(0, countedBytes);
      const isNew = !row.targets.has(name);
      if (isNew && remainingTargets === 0) return;
      if (isNew) remainingTargets -= 1;
      countOne(row.targets, isNew ? copyOf(name) : name);
    },
    result: (): RuleCount[] => {
      const counts = new Map([...rules].map(([name, { count }]) => [name, count]));
      const frequent = (rule: string) => sortedCounts(rules.get(rule)?.targets ?? new Map()).slice(0, shownTargets);
      return sortedCounts(counts).map((row) => ({ ...row, targets: frequent(row.name) }));
    },
  };
}

export const countNonTargetLine = (
  counted: NonTargetLines | undefined,
  line: NonTargetLines['first'],
): NonTargetLines => ({
  first: counted?.first ?? line,
  count: (counted?.count ?? 0) + 1,
});

export function createTally(): Tally {
  const verdicts = { blocked: 0, allowed: 0, refused: 0 };
  const reasons = new Map<string, number>();
  const uninspected = new Map<string, number>();
  const rules = createRuleCounts();
  const first: PathResult[] = [];
  let notTargets: NonTargetLines | undefined;
  let [emptyLines, cutLines, disagreeing] = [0, 0, 0];
  return {
    emptyLine: () => {
      emptyLines += 1;
    },
    add(result) {
      verdicts[result.verdict] += 1;
      countOne(reasons, result.reason);
      if (result.uninspected !== undefined) countOne(uninspected, result.uninspected);
      if (result.verdict === 'blocked' && result.rule !== undefined) rules.add(result.rule, result.request.target);
      if (result.isCut) cutLines += 1;
      if (result.isNotTarget) notTargets = countNonTargetLine(notTargets, result);
      if (result.expected?.met !== false) return;
      disagreeing += 1;
      if (first.length < mostDisagreements) first.push(result);
    },
    result: (list, policy, expect) => ({
      list,
      policy,
      targets: verdicts.blocked + verdicts.allowed + verdicts.refused,
      emptyLines,
      cutLines,
      ...(notTargets && { notTargets }),
      verdicts,
      reasons: sortedCounts(reasons),
      rules: rules.result(),
      uninspected: sortedCounts(uninspected),
      ...(expect !== undefined && { expected: { verdict: expect, met: disagreeing === 0, disagreeing, first } }),
    }),
  };
}
