import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockLine } from '../../cli/report/testing/examples.ts';
import { isShown, runPage, withResults } from './run.ts';

const page = (info: string, body: string): string => `a\n\n\`\`\`${info}\n${body}\`\`\`\nb\n`;
const session = (output: string): string => page('console run', `$ guardcli test '/x y' --check-query\n${output}`);

test('replaces stale output of a session', async () => {
  const stale = session('BLOCKED 79\n');
  const results = await runPage('p.md', stale, 'run');
  assert.match(results[0]?.problems.join('') ?? '', /prints something else/);
  const fresh = withResults(stale, results);
  assert.match(fresh, /^a\n\n```console run\n\$ guardcli test .*\nGET \/x y\n[\s\S]*ALLOWED[\s\S]*\n```\nb\n$/);
  const again = await runPage('p.md', fresh, 'run');
  assert.deepEqual([again[0]?.problems, withResults(fresh, again)], [[], fresh]);
});

test('a script that fails, or a missing program of a session, is a problem', async () => {
  const [failed] = await runPage('p.md', page('sh run', 'false | true\n'), 'run');
  assert.match(failed?.problems.join('') ?? '', /^ends with 1/);
  const [missing] = await runPage('p.md', page('console run', '$ no-such-program\n'), 'run');
  assert.match(missing?.problems.join('') ?? '', /cannot be started/);
});

test('blocks of a page share a folder, and a file appears before the first block that names it', async () => {
  const text = page('sh run', '! ls | grep json\n') + page('sh run', 'test -s "guard.json"; echo x > y\n');
  const results = await runPage('p.md', text + page('sh run', 'test -s y\n'), 'run');
  assert.deepEqual(
    results.map(({ problems }) => problems),
    [[], [], []],
  );
});

test('repeats a report until it has what a service of the page writes', async () => {
  const late = 'until test -e report.html; do sleep 0.1; done';
  const service = `curl --no-buffer || true; : > found.jsonl; ${late}; echo '${blockLine({})}' > found.jsonl`;
  const report = 'guardcli dashboard report found.jsonl -o report.html';
  const shown = 'report.html: 1 event of 1 file, 1 blocked\n';
  const text = page('console run', `$ ${service}\n`) + page('console run', `$ ${report}\n${shown}`);
  const results = await runPage('p.md', text, 'run');
  assert.deepEqual(
    results.map(({ problems }) => problems),
    [[], []],
  );
});

test('runs only the blocks of the given way', async () =>
  assert.deepEqual(await runPage('p.md', page('sh sandbox', 'false\n'), 'run'), []));

const cases: readonly (readonly [shown: string, output: string, way: string, same: boolean])[] = [
  ['a\n', 'a\n', 'run', true],
  ['a\n', 'a\nb\n', 'run', false],
  ['done (12 ms)\n', 'done (1.3 s)\n', 'run', true],
  ['2093 passed\n', '2094 passed\n', 'run', false],
  ['2093 passed\n', '94 passed\n', 'sandbox', false],
  ['port 2093,   2 passed\n', 'port 94, 2 passed\n', 'sandbox', true],
  ['a\n...\nd\n', 'a\nb\nc\nd\n', 'run', true],
  ['a\n...\nd\n', 'a\nb\nc\n', 'run', false],
  ['a\n...\nd\n', 'x\na\nd\n', 'run', false],
];
for (const [shown, output, way, same] of cases)
  test(`${JSON.stringify(output)} is ${same ? '' : 'not '}shown as ${JSON.stringify(shown)} (${way})`, () =>
    assert.equal(isShown(shown, output, way), same));
