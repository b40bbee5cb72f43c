import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';
import { runSuiteFile } from './offline.ts';
import type { SuiteResult } from './result.ts';

const blocks = (name: string, path: string, more = ''): string =>
  `  - name: ${name}\n    request: { path: ${path} }\n    expect: { verdict: blocked${more} }\n`;

async function run(folder: string, ...argv: string[]) {
  const { status, stdout, stderr } = await runCaptured(['test', '--suite', 'cases.yaml', '--json', ...argv], {
    cwd: folder,
  });
  return { status, stderr, result: (stdout ? JSON.parse(stdout) : undefined) as SuiteResult };
}

const outcomes = ({ results }: SuiteResult) => results.map(({ name, status }) => `${status} ${name}`);

function errorOf(stderr: string) {
  return (JSON.parse(stderr) as { error: { code: string; message: string; hint?: string; problems?: object[] } }).error;
}

function files(cases: string, others: Readonly<Record<string, string>> = {}): string {
  return scratch({ 'guard.json': '{}', 'cases.yaml': `cases:\n${cases}`, ...others });
}

test('a suite passes with the examples', async () => {
  const { status, result } = await run(join(packageRoot, 'examples'));
  assert.deepEqual([status, result.ok, result.counts.failed], [0, true, 0]);
});

test('says why nothing was inspected in a case that fails', async () => {
  const cwd = scratch({ 'guard.json': '{"enabled":false}', 'cases.yaml': `cases:\n${blocks('x', '/.env')}` });
  const { stdout } = await runCaptured(['test', '--suite', 'cases.yaml', '-c', 'guard.json'], { cwd });
  assert.match(stdout, /verdict: expected blocked, got allowed \(nothing was inspected: enabled is false\)/);
});

test('compares every key of the expectation', async () => {
  const expectations = {
    rule: 'git-dir',
    reason: 'limit_length',
    target: 'query',
    mode: 'html',
    status: '404',
    verdict: 'allowed',
  };
  const cases = Object.entries(expectations).map(
    ([key, value]) => `  - name: ${key}\n    request: { path: /.env }\n    expect: { ${key}: ${value} }\n`,
  );
  const { status, result } = await run(files(cases.join('')));
  assert.equal(status, 1);
  assert.deepEqual(
    result.results.map(({ differences = [] }) => differences),
    [
      [{ key: 'rule', expected: 'git-dir', got: 'env-file' }],
      [{ key: 'reason', expected: 'limit_length', got: 'block_pattern_match' }],
      [{ key: 'target', expected: 'query', got: 'path' }],
      [{ key: 'mode', expected: 'html', got: 'text' }],
      [{ key: 'status', expected: 404, got: 403 }],
      [{ key: 'verdict', expected: 'allowed', got: 'blocked' }],
    ],
  );
});

test('runs each target of a table, and names its place', async () => {
  const folder = files(
    '  - name: t\n    request:\n      paths: [/.env,\n        /ok]\n    expect: { verdict: blocked }\n',
  );
  const { result } = await run(folder);
  assert.deepEqual(outcomes(result), ['passed t: /.env', 'failed t: /ok']);
  assert.deepEqual([result.results[1]?.line, result.results[1]?.column], [5, 9]);
});

test('sends raw as bytes and path as UTF-8', async () => {
  const cases = ['raw', 'path'].map(
    (key) => `  - name: ${key}\n    request: { ${key}: "/\\xe9" }\n    expect: { verdict: allowed }\n`,
  );
  const { result } = await run(files(cases.join('')));
  assert.deepEqual(
    result.results.map(({ request }) => request.target),
    ['/\xe9', '/\xc3\xa9'],
  );
});

test('takes refused requests as blocked, and skips verdict refused without a proxy', async () => {
  const cases = `${blocks('blocked', '"/a#b"')}  - name: refused\n    request: { path: "/a#b" }\n    expect: { verdict: refused, status: 400 }\n`;
  const folder = files(cases);
  assert.deepEqual(outcomes((await run(folder)).result), ['failed blocked', 'skipped refused']);
  const { result } = await run(folder, '--proxy', 'traefik');
  assert.deepEqual(outcomes(result), ['passed blocked', 'passed refused']);
});

test('runs cases under the policies of the file, of the case and of an include', async () => {
  const strict = JSON.stringify({ blockPatterns: ['^/strict'] });
  const folder = scratch({
    'strict.json': strict,
    'loose.json': '{"enabled":false}',
    'more.yaml': `policies: [loose.json]\ncases:\n${blocks('included', '/.env')}`,
    'cases.yaml': `policies: [strict.json, loose.json]\ninclude: [more.yaml]\ncases:\n${blocks('both', '/strict')}${blocks('own', '/strict').replace('request', 'policies: [strict.json]\n    request')}`,
  });
  const pairs = ({ results }: SuiteResult) => results.map(({ name, policy, status }) => [name, policy, status]);
  assert.deepEqual(pairs((await run(folder)).result), [
    ['both', 'strict.json', 'passed'],
    ['both', 'loose.json', 'failed'],
    ['own', 'strict.json', 'passed'],
    ['included', 'loose.json', 'failed'],
  ]);
  assert.deepEqual(pairs((await run(folder, '-c', 'loose.json')).result)[0], ['both', 'loose.json', 'failed']);
});

test('an absolute path of a policy or an include is not relative to the suite', async () => {
  const folder = scratch({ 'loose.json': '{"enabled":false}', 'more.yaml': `cases:\n${blocks('more', '/.env')}` });
  const own = blocks('x', '/.env').replace('request', `policies: [${folder}/loose.json]\n    request`);
  mkdirSync(join(folder, 'below'));
  writeFileSync(join(folder, 'below/cases.yaml'), `include: [${folder}/more.yaml]\ncases:\n${own}`);
  const { stdout, stderr } = await runCaptured(['test', '--suite', 'below/cases.yaml', '--json'], { cwd: folder });
  assert.equal(stderr, '');
  assert.deepEqual(outcomes(JSON.parse(stdout)), ['failed x', 'passed more']);
});

test('reads no file outside of the working directory and the folder of the suite, which an error would quote', async () => {
  const elsewhere = scratch({ keys: 'a-key-of-this-machine' });
  const folder = files(blocks('x', '/.env'));
  symlinkSync(join(elsewhere, 'keys'), join(folder, 'linked.yaml'));
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.git/config'), 'a-key-of-this-machine');
  writeFileSync(join(folder, '::error::x.yaml'), 'a-key-of-this-machine');
  for (const name of [
    `${elsewhere}/keys`,
    'linked.yaml',
    '.git/config',
    '../absent.yaml',
    '::error::x.yaml',
    '/etc/shadow',
    '/proc/self/environ',
  ])
    for (const key of ['include', 'policies']) {
      writeFileSync(join(folder, 'more.yaml'), `${key}: ['${name}']\ncases:\n${blocks('x', '/.env')}`);
      const { status, stdout, stderr } = await runCaptured(['test', '--suite', 'more.yaml'], { cwd: folder });
      assert.deepEqual([status, stdout], [1, ''], name);
      assert.match(stderr, /is neither below the working directory nor below the folder of the file/);
      assert.ok(!stderr.includes('a-key-of-this-machine') && !stderr.includes('root:'), stderr);
    }
});

test('reports the problems of all files at once, each at its place', async () => {
  const folder = files(blocks('x', '/x').replace('request', 'policies: [none.json, bad.json]\n    request'), {
    'bad.json': '{"mod": 1}',
    'loop.yaml': 'include: [cases.yaml]\n',
    'wrong.yaml': 'cases: 5\n',
  });
  writeFileSync(join(folder, 'cases.yaml'), 'include: [loop.yaml, wrong.yaml, absent.yaml]\n', { flag: 'a' });
  const { status, stderr } = await run(folder);
  assert.equal(status, 1);
  assert.deepEqual(
    errorOf(stderr).problems?.map((one) => {
      const { file, line, column, message } = one as Record<string, unknown>;
      return `${file}:${line}:${column}: ${message}`;
    }),
    [
      'cases.yaml:3:16: cannot read none.json: no such file',
      'bad.json:1:2: unknown key "mod"',
      'loop.yaml:1:11: cases.yaml includes itself',
      'wrong.yaml:1:8: expected a list, found 5',
      'cases.yaml:6:34: cannot read absent.yaml: no such file',
    ],
  );
});

test('refuses a suite without cases, and more cases than the bound', async () => {
  const folder = scratch({ 'cases.yaml': 'cases: []' });
  assert.equal(errorOf((await run(folder)).stderr).code, 'no_cases');
  const paths = JSON.stringify(Array.from({ length: 60_000 }, () => '/x'));
  const large = `{"name": "x", "request": {"paths": ${paths}}, "expect": {"verdict": "allowed"}}`;
  writeFileSync(join(folder, 'cases.yaml'), `{"cases": [${large}, ${large}]}`);
  assert.match((await run(folder)).stderr, /more than 100000 cases/);
});

test('selects cases with --only and stops with --fail-fast', async () => {
  const folder = files(blocks('first', '/ok') + blocks('second', '/.env') + blocks('third', '/ok'));
  assert.deepEqual(outcomes((await run(folder, '--only', 'sec', '--only', 'third')).result), [
    'passed second',
    'failed third',
  ]);
  const { result } = await run(folder, '--fail-fast');
  assert.deepEqual([outcomes(result), result.counts.notRun], [['failed first'], 2]);
  const { code, hint } = errorOf((await run(folder, '--only', 'secnd')).stderr);
  assert.deepEqual([code, hint], ['no_cases', 'did you mean "second"?']);
});

test('runs again after a change, and survives an invalid file and a removed one', async () => {
  const folder = files(blocks('x', '/ok'));
  const end = new AbortController();
  const context = {
    ...{ stdin: Readable.from([]), cwd: folder, env: {}, signal: end.signal, now: () => 0 },
    stdout: { write: () => {} },
    stderr: { write: () => {} },
  };
  const steps = runSuiteFile({ suite: 'cases.yaml', watch: true }, context);
  const next = async () => (await steps.next()).value as { text: string };
  const write = (text: string) => writeFileSync(join(folder, 'cases.yaml'), text);
  assert.match((await next()).text, /1 failed/);
  write('cases: 5');
  assert.match((await next()).text, /expected a list/);
  rmSync(join(folder, 'cases.yaml'));
  assert.match((await next()).text, /no such file/);
  write(`cases:\n${blocks('x', '/.env')}`);
  assert.match((await next()).text, /1 passed, 0 failed/);
  writeFileSync(join(folder, 'guard.json'), '{"enabled": false}');
  assert.match((await next()).text, /1 failed/);
  const last = next();
  end.abort();
  await assert.rejects(last, { name: 'AbortError' });
});

for (const [argv, message] of [
  [['test', '--suite', 'x', '/y'], /--suite and a path are both given/],
  [['test', '--suite', '-', '--watch'], /--watch cannot read standard input/],
  [['test', '--suite', '-', '-c', '-'], /standard input is used twice/],
  [['test', '--suite', 'x', '--json', '--reporter', 'tap'], /--json and --reporter tap are mutually exclusive/],
  [
    ['probe', 'http://x', '--suite', 'x', '--json', '--reporter', 'tap'],
    /--json and --reporter tap are mutually exclusive/,
  ],
  [
    ['sandbox', 'caddy', '--suite', 'x', '--json', '--reporter', 'tap'],
    /--json and --reporter tap are mutually exclusive/,
  ],
  [['test', '/x', '--coverage'], /--coverage needs --suite/],
  [['test', '--suite', 'x', '--min-coverage', '101'], /--min-coverage is "101"/],
  [['test', '--suite', 'x', '--reporter', 'junt'], /Allowed choices are text, json, junit/],
] as const) {
  test(`refuses ${argv.join(' ')}`, async () => {
    const { status, stderr } = await runCaptured(argv);
    assert.equal(status, 2);
    assert.match(stderr, message);
  });
}
