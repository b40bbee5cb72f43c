/** Counts over a list of targets, in bounded memory. */
import { listBounds } from '../counting/bounds.ts';
import { Counter, startOf } from '../counting/counter.ts';
import type { Expectation } from '../evaluate/result.ts';
import type { NonTargetLines, PathResult, PathsResult } from './result.ts';

export const countNonTargetLine = (
  counted: NonTargetLines | undefined,
  line: NonTargetLines['first'],
): NonTargetLines => ({
  first: counted?.first ?? line,
  count: (counted?.count ?? 0) + 1,
});

export class Tally {
  readonly #verdicts = { blocked: 0, allowed: 0, refused: 0 };
  readonly #reasons = new Counter();
  readonly #uninspected = new Counter();
  readonly #rules = new Counter(undefined, () => new Counter(listBounds.ruleTargets));
  readonly #first: PathResult[] = [];
  #notTargets: NonTargetLines | undefined;
  #cutLines = 0;
  #disagreeing = 0;
  emptyLines = 0;

  add(result: PathResult): void {
    const { verdict, reason, rule, uninspected, request } = result;
    this.#verdicts[verdict] += 1;
    this.#reasons.add(reason);
    if (uninspected !== undefined) this.#uninspected.add(uninspected);
    if (verdict === 'blocked' && rule !== undefined) this.#rules.add(rule).value.add(startOf(request.target));
    if (result.isCut) this.#cutLines += 1;
    if (result.isNotTarget) this.#notTargets = countNonTargetLine(this.#notTargets, result);
    if (result.expected?.met !== false) return;
    this.#disagreeing += 1;
    if (this.#first.length < listBounds.disagreements) this.#first.push(result);
  }

  result(list: string, policy: string | null, expect: Expectation | undefined): PathsResult {
    const { blocked, allowed, refused } = this.#verdicts;
    const disagreeing = this.#disagreeing;
    return {
      ...{ list, policy, targets: blocked + allowed + refused, emptyLines: this.emptyLines, cutLines: this.#cutLines },
      ...(this.#notTargets && { notTargets: this.#notTargets }),
      verdicts: this.#verdicts,
      reasons: this.#reasons.counts(),
      rules: this.#rules.sorted().map(({ key, count, value }) => ({
        ...{ name: key, count, targets: value.counts(listBounds.shownTargets) },
      })),
      uninspected: this.#uninspected.counts(),
      ...(expect !== undefined && {
        expected: { verdict: expect, met: disagreeing === 0, disagreeing, first: this.#first },
      }),
    };
  }
}
