/** What `guardcli test --paths` finds out. Strings from the list are bytes as latin1 characters. */
import type { Expectation, TestResult } from '../evaluate/result.ts';

/** One target: a line of `--json`. */
export interface PathResult
  extends Pick<TestResult, 'verdict' | 'reason' | 'target' | 'candidate' | 'rule' | 'pattern' | 'proxy' | 'expected'> {
  /** In the list, counted from 1. */
  readonly line: number;
  readonly request: { readonly method: string; readonly target: string };
  /** Stands there when the line is longer than a target of a list may be, and was judged by its beginning. */
  readonly isCut?: true;
  /** Stands there when the line does not begin with a slash. */
  readonly isNotTarget?: true;
}

export interface Count {
  readonly name: string;
  readonly count: number;
}

/** A rule that blocked targets of the list. */
export interface RuleCount extends Count {
  /** Its most frequent targets, the most frequent first. */
  readonly targets: readonly Count[];
}

/** Lines that do not begin with a slash, as those of a log. */
export interface NotTargets {
  readonly count: number;
  readonly first: Pick<PathResult, 'line' | 'request'>;
}

/** The whole list. */
export interface PathsResult {
  readonly list: string;
  /** The policy file; null: the defaults. */
  readonly policy: string | null;
  readonly targets: number;
  /** Lines with nothing in them: not judged. */
  readonly emptyLines: number;
  readonly cutLines: number;
  readonly notTargets?: NotTargets;
  readonly verdicts: Readonly<Record<TestResult['verdict'], number>>;
  /** Most frequent first, as are the rules. */
  readonly reasons: readonly Count[];
  readonly rules: readonly RuleCount[];
  readonly expected?: {
    readonly verdict: Expectation;
    readonly met: boolean;
    /** How many targets have another verdict. */
    readonly disagreeing: number;
    /** The first of them. */
    readonly first: readonly PathResult[];
  };
}
