/** Counts changed results by kind, in bounded memory. */
import type { GuardRequest } from '../../../engine/index.ts';
import type { NonTargetLines } from '../../batch/result.ts';
import { countNonTargetLine } from '../../batch/tally.ts';
import { diffBounds } from '../../counting/bounds.ts';
import { Counter } from '../../counting/counter.ts';
import type { Finding } from '../../evaluate/evaluator.ts';
import type { Change, ChangedRequest, ComparedVerdict } from './result.ts';

const comparedVerdict = ({ verdict, reason, rule, target }: Finding): ComparedVerdict => ({
  ...{ verdict, reason },
  ...(rule !== undefined && { rule }),
  ...(target !== undefined && { target }),
});

/** Returns the shown parts of a request. The Content-Type header of a body is always the same and left out. */
function shownRequest({
  method,
  target,
  headers: [header],
  body,
}: GuardRequest): Pick<ChangedRequest, 'method' | 'target'> {
  return { method, target, ...(body === undefined ? header && { header } : { body }) };
}

const hasSameResult = (old: Finding, fresh: Finding): boolean =>
  old.verdict === fresh.verdict && old.reason === fresh.reason && old.rule === fresh.rule;

class Group {
  isVerdict = false;
  readonly rules = new Counter(diffBounds.pairs);
  readonly first: ChangedRequest[] = [];
}

const nameOf = ({ rule, reason }: Finding): string => rule ?? reason;

export class ChangeTally {
  requests = 0;
  blockedByBoth = 0;
  notTargets: NonTargetLines | undefined;
  readonly #groups = new Counter(undefined, () => new Group());

  add(request: GuardRequest, line: number | undefined, old: Finding, fresh: Finding): void {
    this.requests += 1;
    if (old.verdict === 'blocked' && fresh.verdict === 'blocked') this.blockedByBoth += 1;
    if (line !== undefined && !request.target.startsWith('/'))
      this.notTargets = countNonTargetLine(this.notTargets, {
        line,
        request: { method: request.method, target: request.target },
      });
    if (hasSameResult(old, fresh)) return;
    const isVerdict = old.verdict !== fresh.verdict;
    const kind = isVerdict ? `${old.verdict} to ${fresh.verdict}` : `${old.verdict} for another reason`;
    const { value } = this.#groups.add(kind);
    value.isVerdict = isVerdict;
    value.rules.add(`${nameOf(old)} to ${nameOf(fresh)}`);
    if (value.first.length >= diffBounds.requests) return;
    value.first.push({
      ...shownRequest(request),
      ...(line !== undefined && { line }),
      old: comparedVerdict(old),
      new: comparedVerdict(fresh),
    });
  }

  /** Changes of verdicts come first, then the more frequent ones. */
  changes(): Change[] {
    return this.#groups
      .sorted()
      .map(({ key, count, value: { isVerdict, rules, first } }) => ({
        ...{ kind: key, isVerdict, count, first, rules: rules.counts() },
      }))
      .sort((a, b) => Number(b.isVerdict) - Number(a.isVerdict));
  }
}
