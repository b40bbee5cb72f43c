/** Result of a suite: the `--json` document. Strings from requests hold one byte per character (latin1). */
import type { Expect } from '../../contract/cases/schema.ts';
import type { Difference, Got } from './compare.ts';
import type { PolicyCoverage } from './coverage.ts';

export interface CaseResult {
  readonly name: string;
  /** The suite file, and the position of the case in it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Path of the policy file. Null when the default policy applies. */
  readonly policy: string | null;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly request: { readonly method: string; readonly target: string };
  readonly expected: Expect;
  /**
   * Result that the policy gives for the request. A tested server may differ: `problems` says how. Absent when the case
   * was skipped.
   */
  readonly got?: Got;
  readonly differences?: readonly Difference[];
  /** Differences between the server and the policy, one clause each. */
  readonly problems?: readonly string[];
  /** A command line that sends the request again. */
  readonly repeat?: string;
  /** Why the case was skipped. */
  readonly reason?: string;
}

export interface SuiteCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Cases after the first failure, with --fail-fast. */
  readonly notRun: number;
}

export interface CoverageResult {
  readonly ok: boolean;
  /** Present with --min-coverage. */
  readonly least?: number;
  readonly policies: readonly PolicyCoverage[];
}

export interface SuiteResult {
  readonly suite: string;
  /** The proxy whose host model was used. */
  readonly proxy?: string;
  readonly server?: string;
  readonly ok: boolean;
  readonly counts: SuiteCounts;
  readonly results: readonly CaseResult[];
  readonly coverage?: CoverageResult;
  readonly milliseconds: number;
}

export function countsOf(results: readonly CaseResult[], all: number): SuiteCounts {
  const of = (status: CaseResult['status']) => results.filter((result) => result.status === status).length;
  return { passed: of('passed'), failed: of('failed'), skipped: of('skipped'), notRun: all - results.length };
}
