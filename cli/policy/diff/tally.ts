/** Counts changed results by kind, in bounded memory. */
import type { GuardRequest } from '../../../engine/index.ts';
import { countOne } from '../../batch/counts.ts';
import type { NonTargetLines } from '../../batch/result.ts';
import { countNonTargetLine } from '../../batch/tally.ts';
import type { Finding } from '../../evaluate/evaluator.ts';
import type { Change, ChangedRequest, ComparedVerdict } from './result.ts';

/** Maximum number of requests of each kind that are kept as examples. */
const shownRequests = 20;
/** Maximum number of counted pairs of rules for each kind. Two policies with many rules could have a million. */
const countedPairs = 1000;

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

interface Group {
  readonly isVerdict: boolean;
  count: number;
  readonly rules: Map<string, number>;
  readonly first: ChangedRequest[];
}

const nameOf = ({ rule, reason }: Finding): string => rule ?? reason;

export class ChangeTally {
  requests = 0;
  blockedByBoth = 0;
  notTargets: NonTargetLines | undefined;
  readonly #groups = new Map<string, Group>();

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
    const group = this.#groups.get(kind) ?? { isVerdict, count: 0, rules: new Map<string, number>(), first: [] };
    this.#groups.set(kind, group);
    group.count += 1;
    const pair = `${nameOf(old)} to ${nameOf(fresh)}`;
    if (group.rules.has(pair) || group.rules.size < countedPairs) countOne(group.rules, pair);
    if (group.first.length >= shownRequests) return;
    group.first.push({
      ...shownRequest(request),
      ...(line !== undefined && { line }),
      old: comparedVerdict(old),
      new: comparedVerdict(fresh),
    });
  }

  /** Changes of verdicts come first, then the more frequent ones. */
  changes(): Change[] {
    const list = [...this.#groups].map(([kind, { rules, ...group }]) => ({
      ...{ kind, ...group },
      rules: [...rules].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count),
    }));
    return list.sort((a, b) => Number(b.isVerdict) - Number(a.isVerdict) || b.count - a.count);
  }
}
