/** Counts over a list of targets: what stays in memory does not grow with the list. */
import type { Expectation } from '../evaluate/result.ts';
import type { Count, PathResult, PathsResult } from './result.ts';

/** Disagreeing targets that are kept: enough to see what they have in common. */
const shownDisagreeing = 20;

export interface Tally {
  readonly emptyLine: () => void;
  readonly add: (result: PathResult) => void;
  readonly result: (list: string, policy: string | null, expect: Expectation | undefined) => PathsResult;
}

const countOne = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

function sorted(counts: ReadonlyMap<string, number>): Count[] {
  const rows = [...counts].map(([name, count]) => ({ name, count }));
  return rows.sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}

export function createTally(): Tally {
  const verdicts = { blocked: 0, allowed: 0, refused: 0 };
  const [reasons, rules] = [new Map<string, number>(), new Map<string, number>()];
  const first: PathResult[] = [];
  let [emptyLines, cutLines, disagreeing] = [0, 0, 0];
  return {
    emptyLine: () => {
      emptyLines += 1;
    },
    add(result) {
      verdicts[result.verdict] += 1;
      countOne(reasons, result.reason);
      if (result.verdict === 'blocked' && result.rule !== undefined) countOne(rules, result.rule);
      if (result.isCut) cutLines += 1;
      if (result.expected?.met !== false) return;
      disagreeing += 1;
      if (first.length < shownDisagreeing) first.push(result);
    },
    result: (list, policy, expect) => ({
      list,
      policy,
      targets: verdicts.blocked + verdicts.allowed + verdicts.refused,
      emptyLines,
      cutLines,
      verdicts,
      reasons: sorted(reasons),
      rules: sorted(rules),
      ...(expect !== undefined && { expected: { verdict: expect, met: disagreeing === 0, disagreeing, first } }),
    }),
  };
}
