/** Result of `guardcli test --paths`. Strings from the list hold one byte per character (latin1). */
import type { Count } from '../counting/counter.ts';
import type { Expectation, TestResult } from '../evaluate/result.ts';

/** One line of `--json`. */
export interface PathResult
  extends Pick<TestResult, 'verdict' | 'reason' | 'target' | 'candidate' | 'rule' | 'pattern' | 'proxy' | 'expected'> {
  /** Line number in the list, from 1. */
  readonly line: number;
  readonly request: { readonly method: string; readonly target: string };
  /** HTTP status of the proxy, when it refuses the request before the guard sees it. */
  readonly status?: number;
  /** Why the request, or a part of it, was not inspected. */
  readonly uninspected?: string;
  /** Present when the line exceeds the limit. Only its start was evaluated. */
  readonly isCut?: true;
  /** Present when the line does not begin with a slash. */
  readonly isNotTarget?: true;
}

export interface RuleCount extends Count {
  /** The most frequent targets that the rule blocked, among those that the tally counts. */
  readonly targets: readonly Count[];
}

/** Lines that do not begin with a slash, such as whole lines of a log. */
export interface NonTargetLines {
  readonly count: number;
  readonly first: Pick<PathResult, 'line' | 'request'>;
}

export interface PathsResult {
  readonly list: string;
  /** Path of the policy file. Null when the default policy applies. */
  readonly policy: string | null;
  readonly targets: number;
  readonly emptyLines: number;
  readonly cutLines: number;
  readonly notTargets?: NonTargetLines;
  readonly verdicts: Readonly<Record<TestResult['verdict'], number>>;
  /** Sorted by descending frequency. */
  readonly reasons: readonly Count[];
  readonly rules: readonly RuleCount[];
  /** Why requests were not inspected. Sorted by descending frequency. */
  readonly uninspected: readonly Count[];
  readonly expected?: {
    readonly verdict: Expectation;
    readonly met: boolean;
    readonly disagreeing: number;
    /** The first targets with another verdict. */
    readonly first: readonly PathResult[];
  };
}
