import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LibraryError } from '../../contract/regex/compile.ts';
import { ConfigError, ExternalError, exitCodeOf, UsageError } from '../../platform/errors.ts';
import { coloredPaint, plain } from './paint.ts';
import { errorJson, errorText, explainedError, problemText, refusalText } from './report.ts';

const problem = {
  kind: 'bad_regex',
  path: 'rules[0].pattern',
  line: 3,
  column: 7,
  message: 'no\x1bgood',
  hint: 'try\nit',
};
const refused = new ConfigError({ name: 'gu\x1bard.json', problems: [problem], omitted: 2 });
const usage = new UsageError('what\x07?', { code: 'odd', hint: 'do that' });
const external = new ExternalError('building failed', {
  code: 'build_failed',
  failed: { tool: 'go', args: ['build'], output: 'line 1\x1b[2J\nline 2\n' },
});

describe('problems', () => {
  it('are printed as file:line:column: key: message, followed by the hint', () => {
    assert.equal(problemText('a.json', problem, plain), 'a.json:3:7: rules[0].pattern: no\\x1bgood\n  try\\x0ait');
  });
  it('of the whole file have no key', () => {
    const whole = { kind: 'syntax', path: '', line: 1, column: 1, message: 'not JSON' };
    assert.equal(problemText('a.json', whole, plain), 'a.json:1:1: not JSON');
  });
  it('of a variable have no position', () => {
    const variable = { kind: 'bad_value', path: 'NAME', line: 0, column: 0, message: 'is not set' };
    assert.equal(problemText('a.yaml', variable, plain), 'a.yaml: NAME: is not set');
  });
  it('report how many more there are', () => {
    assert.match(refusalText(refused.refusal, plain), /\n\.\.\. and 2 more$/);
  });
});

describe('errors as text', () => {
  it('contain the message and the hint', () => {
    assert.equal(errorText(usage, plain), 'error: what\\x07? Do that.');
  });
  it('of an invalid file list its problems', () => {
    const [head, first] = errorText(refused, plain).split('\n');
    assert.equal(head, 'error: gu\\x1bard.json is not valid.');
    assert.match(first ?? '', /^gu\\x1bard\.json:3:7: /);
  });
  it('of a tool quote the end of its output, escaped', () => {
    assert.equal(errorText(external, plain), 'error: building failed.\n  | line 1\\x1b[2J\n  | line 2');
  });
  it('that are bugs print the stack and ask for a report', () => {
    const text = errorText(new TypeError('x is not a function'), plain);
    assert.match(text, /^error: this is a bug in guardcli\.\n {2}\| TypeError: x is not a function\n/);
    assert.match(text, /Please report it/);
  });
  it('are colored when colors are on', () => {
    assert.ok(errorText(usage, coloredPaint).startsWith('\x1b[31merror:\x1b[39m '));
  });
});

describe('errors as JSON', () => {
  const parsed = (error: unknown) => (JSON.parse(errorJson(error)) as { error: unknown }).error;
  it('have code, message and hint', () => {
    assert.deepEqual(parsed(usage), { code: 'odd', message: 'what\x07?', hint: 'do that' });
  });
  it('of an invalid file have its problems', () => {
    const message = 'gu\x1bard.json is not valid';
    const expected = { code: 'invalid_file', message, file: 'gu\x1bard.json', problems: [problem], omitted: 2 };
    assert.deepEqual(parsed(refused), expected);
  });
  it('of a tool have its name and output', () => {
    const output = 'line 1\x1b[2J\nline 2\n';
    assert.deepEqual(parsed(external), { code: 'build_failed', message: 'building failed', tool: 'go', output });
  });
  it('that are bugs have the code bug', () =>
    assert.deepEqual(parsed(new Error('x')), { code: 'bug', message: 'Error: x' }));
  it('are printable ASCII', () => assert.match(errorJson(refused), /^[\x20-\x7e\n]*$/));
});

describe('exit statuses', () => {
  const cases = [
    [usage, 2],
    [refused, 1],
    [external, 3],
    [new Error('bug'), 3],
  ] as const;
  for (const [error, status] of cases) it(`${error.name}: ${status}`, () => assert.equal(exitCodeOf(error), status));
});

it('a native module that does not load is reported with the line that fixes it', () => {
  const error = explainedError(
    new LibraryError('the native module re2 does not load', { cause: new Error('no file') }),
  );
  const text = errorText(error, plain);
  assert.match(text, /^error: the native module re2 does not load\.\n {2}\| no file\n.*cd \S+ && npm rebuild re2$/);
  const other = new TypeError('x');
  assert.equal(explainedError(other), other);
});
