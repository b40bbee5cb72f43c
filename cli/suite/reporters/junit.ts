/**
 * JUnit XML for Jenkins, GitLab and GitHub's test reporters: ASCII, one testsuite per suite file. Only the whole run
 * has a time: that of single cases is not measured.
 */
import { printable } from '../../../platform/escape.ts';
import type { CaseResult, SuiteResult } from '../result.ts';
import { failureCauses, labelerFor, placeText, policyName, requestText, suiteProblems } from './words.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** ASCII without control characters is valid in XML 1.0. */
const escapeXml = (text: string): string =>
  printable(text).replace(/[&<>"]/g, (character) => entities[character] ?? '');

function attributesText(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}

function outcomeXml(result: CaseResult): string {
  if (result.status === 'skipped') return `<skipped${attributesText({ message: result.reason ?? '' })}/>`;
  if (result.status === 'passed') return '';
  const message = failureCauses(result).join('; ');
  const lines = [placeText(result), requestText(result), ...failureCauses(result)];
  return `<failure${attributesText({ message, type: 'expectation' })}>${lines.map(escapeXml).join('\n')}</failure>`;
}

function testCaseXml(result: CaseResult, name: string): string {
  const head = `    <testcase${attributesText({ name, classname: policyName(result.policy) })}`;
  const inner = outcomeXml(result);
  return inner === '' ? `${head}/>` : `${head}>${inner}</testcase>`;
}

/** A failure of the whole suite, such as its coverage. */
const suiteFailureXml = (problem: string): string =>
  `    <testcase${attributesText({ name: problem, classname: 'suite' })}><failure${attributesText({ message: problem, type: 'suite' })}/></testcase>`;

function testSuiteXml(name: string, failures: number, skipped: number, cases: readonly string[]): string {
  const attributes = attributesText({ name, tests: cases.length, failures, errors: 0, skipped });
  return [`  <testsuite${attributes}>`, ...cases, '  </testsuite>'].join('\n');
}

export function junitText(result: SuiteResult): string {
  const { results, counts, milliseconds, suite } = result;
  const label = labelerFor(result);
  const byFile = Object.entries(Object.groupBy(results, ({ file }) => file));
  const suites = byFile.map(([file, list = []]) => {
    const count = (status: CaseResult['status']) => list.filter((one) => one.status === status).length;
    const cases = list.map((one) => testCaseXml(one, label(one)));
    return testSuiteXml(file, count('failed'), count('skipped'), cases);
  });
  const problems = suiteProblems(result);
  const totals = {
    name: suite,
    tests: results.length + problems.length,
    failures: counts.failed + problems.length,
    errors: 0,
    time: milliseconds / 1000,
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributesText(totals)}>`,
    ...suites,
    ...(problems.length > 0 ? [testSuiteXml(suite, problems.length, 0, problems.map(suiteFailureXml))] : []),
    '</testsuites>',
  ].join('\n');
}
