/** TAP version 14 (testanything.org) in ASCII. */
import { printable } from '../../../platform/escape.ts';
import type { CaseResult, SuiteResult } from '../result.ts';
import { failureCauses, labelerFor, placeText, requestText, suiteProblems } from './words.ts';

/** Escapes a description, in which `#` would begin a directive. */
const escapeDescription = (text: string): string => printable(text).replace(/[\\#]/g, '\\$&');

/** Writes a YAML block. A JSON string is a valid double-quoted text of YAML. */
const yamlBlock = (values: Readonly<Record<string, string>>): string[] => [
  '  ---',
  ...Object.entries(values).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
  '  ...',
];

function caseLines(result: CaseResult, number: number, label: string): string[] {
  const line = `${number} - ${escapeDescription(label)}`;
  if (result.status === 'skipped') return [`ok ${line} # SKIP ${escapeDescription(result.reason ?? '')}`];
  if (result.status === 'passed') return [`ok ${line}`];
  const details = { message: failureCauses(result).join('; '), at: placeText(result), request: requestText(result) };
  return [`not ok ${line}`, ...yamlBlock(details)];
}

export function tapText(result: SuiteResult): string {
  const { results } = result;
  const label = labelerFor(result);
  const problems = suiteProblems(result);
  return [
    'TAP version 14',
    `1..${results.length + problems.length}`,
    ...results.flatMap((one, index) => caseLines(one, index + 1, label(one))),
    ...problems.map((problem, index) => `not ok ${results.length + index + 1} - ${escapeDescription(problem)}`),
  ].join('\n');
}
