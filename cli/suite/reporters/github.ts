/** Annotations of GitHub Actions, which appear at the case in the suite file, and a summary line. */
import { readable } from '../../../platform/escape.ts';
import type { CaseResult, SuiteResult } from '../result.ts';
import { causes, countsText, labels, requestText, suiteProblems } from './words.ts';

const codes: Readonly<Record<string, string>> = { '%': '%25', '\r': '%0D', '\n': '%0A', ':': '%3A', ',': '%2C' };
const encode = (text: string, unsafe: RegExp): string => text.replace(unsafe, (character) => codes[character] ?? '');

const message = (text: string): string => encode(text, /[%\r\n]/g);
const property = (text: string): string => encode(text, /[%\r\n:,]/g);

function annotation(result: CaseResult, label: string): string {
  const { file, line, column } = result;
  const text = [requestText(result), ...causes(result)].join('\n');
  const at = `file=${property(readable(file))},line=${line},col=${column},title=${property(label)}`;
  return `::error ${at}::${message(text)}`;
}

export function githubText(result: SuiteResult): string {
  const label = labels(result);
  const failures = result.results.filter(({ status }) => status === 'failed');
  const file = property(readable(result.suite));
  return [
    ...failures.map((one) => annotation(one, label(one))),
    ...suiteProblems(result).map((problem) => `::error file=${file}::${message(problem)}`),
    `${readable(result.suite)}: ${countsText(result.counts)}`,
  ].join('\n');
}
