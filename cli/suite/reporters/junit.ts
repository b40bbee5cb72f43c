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

function testSuiteXml(file: string, results: readonly CaseResult[], label: (result: CaseResult) => string): string {
  const count = (status: CaseResult['status']) => results.filter((result) => result.status === status).length;
  const counts = { tests: results.length, failures: count('failed'), errors: 0, skipped: count('skipped') };
  const cases = results.map((result) => testCaseXml(result, label(result)));
  return [`  <testsuite${attributesText({ name: file, ...counts })}>`, ...cases, '  </testsuite>'].join('\n');
}

export function junitText(result: SuiteResult): string {
  const { results, counts, milliseconds, suite } = result;
  const label = labelerFor(result);
  const byFile = Object.entries(Object.groupBy(results, ({ file }) => file));
  const suites = byFile.map(([file, list = []]) => testSuiteXml(file, list, label));
  const problems = suiteProblems(result);
  const count = { tests: problems.length, failures: problems.length, errors: 0, skipped: 0 };
  const whole = [
    `  <testsuite${attributesText({ name: suite, ...count })}>`,
    ...problems.map(suiteFailureXml),
    '  </testsuite>',
  ];
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
    ...(problems.length > 0 ? whole : []),
    '</testsuites>',
  ].join('\n');
}
