/** TAP version 14 (testanything.org). Results are ASCII. */
import { printable } from '../../../platform/escape.ts';
import type { CaseResult, SuiteResult } from '../result.ts';
import { causes, labels, placeText, requestText, suiteProblems } from './words.ts';

/** Escapes a description, because `#` would begin a directive. */
const described = (text: string): string => printable(text).replace(/[\\#]/g, '\\$&');

/** Returns a YAML block. A JSON string is a valid double-quoted text of YAML. */
const block = (values: Readonly<Record<string, string>>): string[] => [
  '  ---',
  ...Object.entries(values).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
  '  ...',
];

function lines(result: CaseResult, number: number, label: string): string[] {
  const line = `${number} - ${described(label)}`;
  if (result.status === 'skipped') return [`ok ${line} # SKIP ${described(result.reason ?? '')}`];
  if (result.status === 'passed') return [`ok ${line}`];
  const details = { message: causes(result).join('; '), at: placeText(result), request: requestText(result) };
  return [`not ok ${line}`, ...block(details)];
}

export function tapText(result: SuiteResult): string {
  const { results } = result;
  const label = labels(result);
  const problems = suiteProblems(result);
  return [
    'TAP version 14',
    `1..${results.length + problems.length}`,
    ...results.flatMap((one, index) => lines(one, index + 1, label(one))),
    ...problems.map((problem, index) => `not ok ${results.length + index + 1} - ${described(problem)}`),
  ].join('\n');
}
