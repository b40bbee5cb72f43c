/** Runs the conformance data as conformance/vectors/README.md describes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';

const folder = join(packageRoot, 'conformance/vectors');

function runner(...args: readonly string[]) {
  return spawnSync('python3', [join(folder, 'runner.py'), ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 });
}

/** Returns a Python command that reads a `question` from each line, and runs `code`. */
const command = (code: string): string[] => [
  'python3',
  '-uc',
  `import json, sys\nfor line in sys.stdin:\n    question = json.loads(line)\n    ${code}`,
];

function countOf(kind: string): number {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.json'));
  const groups = files.flatMap(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as { tests: unknown[] }[],
  );
  return groups.flatMap(({ tests }) => tests).length;
}

test('the reference engine passes every case of its kinds', () => {
  const kinds = ['candidates', 'verdicts', 'regex', 'backtracking', 'policies'];
  const args = kinds.flatMap((kind) => ['--kind', kind]);
  const { stdout, stderr } = runner(...args, '--', process.execPath, join(folder, 'answer.ts'));
  const total = kinds.reduce((sum, kind) => sum + countOf(kind), 0);
  assert.equal(stdout + stderr, `${total} passed, 0 failed\n`);
});

test('a wrong result is named with its case', () => {
  const { status, stdout } = runner('--kind', 'regex', '--', ...command('print(json.dumps({"ok": True}))'));
  assert.equal(status, 1);
  assert.match(stdout, /^regex-refused-001: expected \{"ok": false, "offset": 3\}, got \{"ok": true\}$/m);
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(stdout) ?? [];
  assert.equal(Number(passed) + Number(failed), countOf('regex'));
});

test('a question about a captcha contains no expected key', () => {
  const { stdout } = runner('--kind', 'captcha', '--', ...command('print(json.dumps({"given": sorted(question)}))'));
  const lines = stdout.split('\n').filter((line) => line.startsWith('captcha-'));
  assert.equal(lines.length, countOf('captcha'));
  for (const line of lines) {
    const [, expected = '{}', got = '{}'] = /expected (\{.*\}), got (\{.*\})$/.exec(line) ?? [];
    const [key = '', ...others] = Object.keys(JSON.parse(expected) as object);
    assert.deepEqual(others, []);
    assert.ok(!(JSON.parse(got) as { given: string[] }).given.includes(key), line);
  }
});

test('a command that ends early, or writes something else, is an error that names the case', () => {
  const ended = runner('--kind', 'regex', '--', ...command('sys.exit(7)'));
  assert.equal(ended.status, 3);
  assert.match(ended.stderr, /^error: the command ended at regex-accepted-001 with status 7; /);
  const text = runner('--kind', 'regex', '--', ...command('print("[1]")'));
  assert.equal(text.status, 3);
  assert.equal(text.stderr, 'error: the result of regex-accepted-001 is not a JSON object: "[1]\\n"\n');
  const missing = runner('--', join(folder, 'no-such-command'));
  assert.equal(missing.status, 3);
  assert.match(missing.stderr, /^error: .*no-such-command/);
});
