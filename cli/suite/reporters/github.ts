/** Annotations of GitHub Actions at the cases in the suite file. */
import { readable } from '../../../platform/escape.ts';
import type { CaseResult, SuiteResult } from '../result.ts';
import { countsText, failureCauses, labelerFor, requestText, suiteProblems } from './words.ts';

const escapeCodes: Readonly<Record<string, string>> = { '%': '%25', '\r': '%0D', '\n': '%0A', ':': '%3A', ',': '%2C' };
const encode = (text: string, unsafe: RegExp): string =>
  text.replace(unsafe, (character) => escapeCodes[character] ?? '');

const escapeMessage = (text: string): string => encode(text, /[%\r\n]/g);
const escapeProperty = (text: string): string => encode(text, /[%\r\n:,]/g);

function annotationLine(result: CaseResult, label: string): string {
  const { file, line, column } = result;
  const text = [requestText(result), ...failureCauses(result)].join('\n');
  const at = `file=${escapeProperty(readable(file))},line=${line},col=${column},title=${escapeProperty(label)}`;
  return `::error ${at}::${escapeMessage(text)}`;
}

export function githubText(result: SuiteResult): string {
  const label = labelerFor(result);
  const failures = result.results.filter(({ status }) => status === 'failed');
  const file = escapeProperty(readable(result.suite));
  return [
    ...failures.map((one) => annotationLine(one, label(one))),
    ...suiteProblems(result).map((problem) => `::error file=${file}::${escapeMessage(problem)}`),
    `${readable(result.suite)}: ${countsText(result.counts)}`,
  ].join('\n');
}
