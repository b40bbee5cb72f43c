/** Result of `guardcli test --paths`. Strings from the list hold one byte per character (latin1). */
import type { Expectation, TestResult } from '../evaluate/result.ts';

/** Result of one target: one line of `--json`. */
export interface PathResult
  extends Pick<TestResult, 'verdict' | 'reason' | 'target' | 'candidate' | 'rule' | 'pattern' | 'proxy' | 'expected'> {
  /** Line number in the list, from 1. */
  readonly line: number;
  readonly request: { readonly method: string; readonly target: string };
  /** HTTP status, when the proxy refuses the request before the guard sees it. */
  readonly status?: number;
  /** Why the request, or a part of it, was not inspected. */
  readonly uninspected?: string;
  /** Present when the line exceeds the limit; only its start was evaluated. */
  readonly isCut?: true;
  /** Present when the line does not begin with a slash. */
  readonly isNotTarget?: true;
}

export interface Count {
  readonly name: string;
  readonly count: number;
}

/** A rule that blocked targets of the list. */
export interface RuleCount extends Count {
  /** Most frequent targets that the rule blocked, in descending order. */
  readonly targets: readonly Count[];
}

/** Lines that do not begin with a slash, such as whole lines of a log. */
export interface NotTargets {
  readonly count: number;
  readonly first: Pick<PathResult, 'line' | 'request'>;
}

/** Result of the whole list. */
export interface PathsResult {
  readonly list: string;
  /** Path of the policy file. Null: the defaults. */
  readonly policy: string | null;
  readonly targets: number;
  /** Empty lines, which are skipped. */
  readonly emptyLines: number;
  readonly cutLines: number;
  readonly notTargets?: NotTargets;
  readonly verdicts: Readonly<Record<TestResult['verdict'], number>>;
  /** Reasons of the verdicts, sorted by descending frequency. */
  readonly reasons: readonly Count[];
  readonly rules: readonly RuleCount[];
  /** Why requests were not inspected, and how many. Sorted by descending frequency. */
  readonly uninspected: readonly Count[];
  readonly expected?: {
    readonly verdict: Expectation;
    readonly met: boolean;
    /** Number of targets with another verdict. */
    readonly disagreeing: number;
    /** The first targets with another verdict than the expected one. */
    readonly first: readonly PathResult[];
  };
}
