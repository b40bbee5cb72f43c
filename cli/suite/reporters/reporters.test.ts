import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from '../../program/paint.ts';
import type { CaseResult, SuiteResult } from '../result.ts';
import { reportText } from './index.ts';

const hostile = 'a]]>&<b> "q" # \\ %0A:,\u001b[2J\u202e\n::error::x';

const shared = {
  file: 'c:a,ses\u0007.yaml',
  line: 3,
  column: 5,
  policy: 'guard.json',
  expected: { verdict: 'blocked' },
} as const;

const failed: CaseResult = {
  ...{ ...shared, name: hostile, status: 'failed', request: { method: 'GET', target: '/\x1b]0;\xe9' } },
  got: { verdict: 'allowed', reason: 'no_match' },
  differences: [{ key: 'verdict', expected: 'blocked', got: 'allowed' }],
};
const passed: CaseResult = { ...shared, name: 'good', status: 'passed', request: { method: 'GET', target: '/' } };
const skipped: CaseResult = { ...passed, name: 'left out', status: 'skipped', reason: 'why # not' };

const result: SuiteResult = {
  ...{ suite: 'cases.yaml', ok: false, counts: { passed: 1, failed: 1, skipped: 1, notRun: 2 } },
  results: [passed, failed, skipped],
  coverage: { ok: false, least: 50, policies: [{ policy: 'guard.json', percent: 49, rules: [] }] },
  milliseconds: 1500,
};

const report = (name: 'text' | 'junit' | 'github' | 'tap'): string => reportText(name, result, plain);

test('the text shows failures in full and escaped', () => {
  assert.equal(
    report('text'),
    [
      'FAILED a]]>&<b> "q" # \\ %0A:,\\x1b[2J\\u{202e}\\x0a::error::x',
      '  c:a,ses\\x07.yaml:3:5',
      '  GET /\\x1b]0;\\xe9',
      '  verdict: expected blocked, got allowed (no_match)',
      '',
      'Coverage of guard.json: 49 %',
      '      hit  near miss  never',
      '',
      'cases.yaml: FAILED, 1 passed, 1 failed, 1 skipped, 2 not run after the first failure',
      'coverage of guard.json is 49 %, less than 50 %',
      'skipped 1: why # not',
    ].join('\n'),
  );
});

test('JUnit XML has no character that XML refuses, and counts what it contains', () => {
  const name = 'a]]&gt;&amp;&lt;b&gt; &quot;q&quot; # \\ %0A:,\\x1b[2J\\u{202e}\\x0a::error::x';
  const failure = 'verdict: expected blocked, got allowed (no_match)';
  const low = 'coverage of guard.json is 49 %, less than 50 %';
  assert.equal(
    report('junit'),
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="cases.yaml" tests="4" failures="2" errors="0" time="1.5">',
      '  <testsuite name="c:a,ses\\x07.yaml" tests="3" failures="1" errors="0" skipped="1">',
      '    <testcase name="good" classname="guard.json"/>',
      `    <testcase name="${name}" classname="guard.json"><failure message="${failure}" type="expectation">c:a,ses\\x07.yaml:3:5`,
      'GET /\\x1b]0;\\xe9',
      `${failure}</failure></testcase>`,
      '    <testcase name="left out" classname="guard.json"><skipped message="why # not"/></testcase>',
      '  </testsuite>',
      '  <testsuite name="cases.yaml" tests="1" failures="1" errors="0" skipped="0">',
      `    <testcase name="${low}" classname="suite"><failure message="${low}" type="suite"/></testcase>`,
      '  </testsuite>',
      '</testsuites>',
    ].join('\n'),
  );
});

test('annotations of GitHub stay on their line and in their property', () => {
  const title = 'a]]>&<b> "q" # \\ %250A%3A%2C\\x1b[2J\\u{202e}\\x0a%3A%3Aerror%3A%3Ax';
  assert.deepEqual(report('github').split('\n'), [
    `::error file=c%3Aa%2Cses\\x07.yaml,line=3,col=5,title=${title}::GET /\\x1b]0;\\xe9%0Averdict: expected blocked, got allowed (no_match)`,
    '::error file=cases.yaml::coverage of guard.json is 49 %25, less than 50 %25',
    'cases.yaml: 1 passed, 1 failed, 1 skipped, 2 not run after the first failure',
  ]);
});

test('TAP escapes # and \\, which begin directives and escapes', () => {
  assert.deepEqual(report('tap').split('\n'), [
    'TAP version 14',
    '1..4',
    'ok 1 - good',
    'not ok 2 - a]]>&<b> "q" \\# \\\\ %0A:,\\\\x1b[2J\\\\u{202e}\\\\x0a::error::x',
    '  ---',
    '  message: "verdict: expected blocked, got allowed (no_match)"',
    '  at: "c:a,ses\\\\x07.yaml:3:5"',
    '  request: "GET /\\\\x1b]0;\\\\xe9"',
    '  ...',
    'ok 3 - left out # SKIP why \\# not',
    'not ok 4 - coverage of guard.json is 49 %, less than 50 %',
  ]);
});
