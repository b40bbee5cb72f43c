/** Texts that reporters share, escaped. */
import { printable, readable } from '../../../platform/escape.ts';
import { counted, grouped } from '../../program/counted.ts';
import { shortened } from '../../program/shortened.ts';
import type { CaseResult, SuiteCounts, SuiteResult } from '../result.ts';

export const policyName = (policy: string | null): string => (policy === null ? 'the defaults' : readable(policy));

/** Maximum characters of a request line. */
const shownRequest = 160;

export const requestText = ({ request: { method, target } }: CaseResult): string =>
  shortened(printable(`${method} ${target}`), shownRequest);

export const placeText = ({ file, line, column }: CaseResult): string => `${readable(file)}:${line}:${column}`;

/** Returns a function that labels cases. A label includes the policy if the suite has several. */
export function labelerFor({ results }: SuiteResult): (result: CaseResult) => string {
  const isOne = new Set(results.map(({ policy }) => policy)).size < 2;
  return ({ name, policy }) => (isOne ? readable(name) : `${readable(name)} (${policyName(policy)})`);
}

/** Each cause is a clause: `rule: expected env-file, got git-dir`. */
export function failureCauses({ differences = [], problems = [], got }: CaseResult): string[] {
  const rows = differences.map(({ key, expected, got: is }) => {
    const why = key === 'verdict' && got ? ` (${printable(got.rule ?? got.uninspected ?? got.reason)})` : '';
    return `${key}: expected ${printable(String(expected))}, got ${printable(String(is ?? 'none'))}${why}`;
  });
  return [...rows, ...problems.map(printable)];
}

/** `3 passed, 1 failed, 2 skipped` */
export function countsText({ passed, failed, skipped, notRun }: SuiteCounts): string {
  const rest = [
    ...(skipped > 0 ? [`${grouped(skipped)} skipped`] : []),
    ...(notRun > 0 ? [`${grouped(notRun)} not run after the first failure`] : []),
  ];
  return [`${grouped(passed)} passed`, `${grouped(failed)} failed`, ...rest].join(', ');
}

/** Why a suite did not pass, besides failed cases: no case ran, or the coverage is too low. */
export function suiteProblems({ counts, coverage }: SuiteResult): string[] {
  const none = counts.passed + counts.failed === 0 ? [`${counted(counts.skipped, 'case')} skipped, none ran`] : [];
  const { least = 0, policies = [] } = coverage ?? {};
  const low = policies.filter(({ percent }) => percent < least);
  return [
    ...none,
    ...low.map(({ policy, percent }) => `coverage of ${policyName(policy)} is ${percent} %, less than ${least} %`),
  ];
}
