import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiffResult } from '../policy/diff/result.ts';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';

const own = { enableDefaultPatterns: false, enableDefaultAllowPatterns: false };

interface Given {
  readonly old: object;
  readonly new: object;
  readonly list?: string | Uint8Array;
}

async function diff({ old, new: fresh, list }: Given, ...argv: string[]) {
  const cwd = scratch({
    'old.json': JSON.stringify({ ...own, ...old }),
    'new.json': JSON.stringify({ ...own, ...fresh }),
    ...(list !== undefined && { list }),
  });
  const paths = list === undefined ? [] : ['--paths', 'list'];
  const { status, stdout, stderr } = await runCaptured(['diff', 'old.json', 'new.json', ...paths, ...argv], { cwd });
  assert.equal(stderr, '');
  return { status, stdout };
}

async function result(given: Given): Promise<DiffResult & { readonly status: number }> {
  const { status, stdout } = await diff(given, '--json');
  return { status, ...(JSON.parse(stdout) as DiffResult) };
}

test('counts the verdicts of a list that change, with their rules', async () => {
  const given = {
    old: { blockPatterns: ['^/a', '^/b'] },
    new: { blockPatterns: ['^/a', '^/c', '^/b'] },
    list: '/a\n\n/b\n/c\n/c/2\n/d\n',
  };
  const { status, requests, changedVerdicts, changes } = await result(given);
  assert.deepEqual([status, requests, changedVerdicts], [1, 5, 2]);
  assert.deepEqual(
    changes.map(({ kind, count, rules, first }) => [
      kind,
      count,
      rules,
      first.map(({ line, target }) => [line, target]),
    ]),
    [
      [
        'allowed to blocked',
        2,
        [{ name: 'no_match to block[1]', count: 2 }],
        [
          [4, '/c'],
          [5, '/c/2'],
        ],
      ],
      ['blocked for another reason', 1, [{ name: 'block[1] to block[2]', count: 1 }], [[3, '/b']]],
    ],
  );
});

test('another rule for the same verdict does not fail', async () => {
  const given = { old: { blockPatterns: ['^/a'] }, new: { blockPatterns: ['^/x', '^/a'] }, list: '/a\n' };
  const { status, changedVerdicts, changes } = await result(given);
  assert.deepEqual([status, changedVerdicts, changes.length], [0, 0, 1]);
});

test('shows settings and rules that differ, and no secret', async () => {
  const given = {
    old: { blockPatterns: ['^/a'], secret: 'first-secret-of-the-site' },
    new: {
      blockPatterns: ['^/b', '^/c'],
      secret: 'other-secret-of-the-site',
      response: { mode: 'captcha', captcha: { provider: 'turnstile', siteKey: 'k', secretKey: 'key-of-the-provider' } },
    },
  };
  const { settings, rules } = await result(given);
  assert.deepEqual(
    settings.map(({ key }) => key),
    ['secret', 'response.mode', 'response.captcha'],
  );
  assert.deepEqual(rules, { added: ['block[1]'], removed: [], changed: ['block[0]'] });
  assert.doesNotMatch((await diff(given)).stdout, /-of-the-/);
});

test('without a list it compares examples of built-in and custom rules', async () => {
  const given = {
    old: { enableDefaultPatterns: true },
    new: { enableDefaultPatterns: true, disabledRules: ['key-ssh'], blockPatterns: ['^/special/[0-9]+$'] },
  };
  const { changes, list } = await result(given);
  const pairs = changes.filter(({ isVerdict }) => isVerdict).flatMap(({ rules }) => rules.map(({ name }) => name));
  assert.ok(pairs.includes('key-ssh to no_match') && pairs.includes('no_match to block[0]'), pairs.join());
  assert.equal(list, null);
});

const body = { id: 'form', action: 'block', pattern: '^attack$', targets: ['body'] };
/** Pairs of policies with different verdicts, each with the first request that shows it. */
const differing: readonly (readonly [string, object, object, string])[] = [
  [
    'a rule of a policy for other methods than GET',
    { methods: ['POST'], blockPatterns: ['^/admin$'] },
    { methods: ['POST'] },
    'POST /admin',
  ],
  [
    'a rule of bodies',
    { checkBody: true, methods: ['*'], rules: [body] },
    { checkBody: true, methods: ['*'] },
    'POST / with the body value=attack',
  ],
  ['a rule of bodies of GET', { checkBody: true, rules: [body] }, { checkBody: true }, '/ with the body value=attack'],
  [
    'the inspection of bodies',
    { checkBody: true, blockPatterns: ['^/admin$'] },
    { blockPatterns: ['^/admin$'] },
    '/ with the body value=/admin',
  ],
  [
    'the inspection of a method',
    { methods: ['*'], blockPatterns: ['^/own/path$'] },
    { methods: ['GET', 'POST'], blockPatterns: ['^/own/path$'] },
    'PUT /own/path',
  ],
  [
    'the inspection of a header',
    { checkHeaders: ['X-A', 'X-B'], blockPatterns: ['^/own/path$'] },
    { checkHeaders: ['x-a'], blockPatterns: ['^/own/path$'] },
    '/ with X-B: /own/path',
  ],
];
for (const [name, old, fresh, shown] of differing)
  test(`without a list it finds the loss of ${name}`, async () => {
    const given = { old, new: fresh };
    const { status, changes } = await result(given);
    assert.deepEqual([status, changes[0]?.kind], [1, 'blocked to allowed']);
    const { stdout } = await diff(given);
    assert.ok(stdout.includes(`  ${shown}  `), stdout);
  });

test('evaluates a list with a method that the policies inspect', async () => {
  const given = { old: { methods: ['PUT'], blockPatterns: ['^/a'] }, new: { methods: ['PUT'] }, list: '/a\n' };
  const { status, requests, changes } = await result(given);
  assert.deepEqual([status, requests, changes[0]?.first[0]?.method], [1, 1, 'PUT']);
});

test('prints hostile targets escaped', async () => {
  const given = { old: {}, new: { blockPatterns: ['^/x'] }, list: Buffer.from('/x\x1b[2J\xff\n', 'latin1') };
  assert.match((await diff(given)).stdout, /line 1 {2}\/x\\x1b\[2J\\xff/);
});

test('warns when the list is an access log, and separates thousands', async () => {
  const line = '192.0.2.1 - - [27/Nov/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 1\n';
  const cwd = scratch({ 'old.json': '{}', 'new.json': '{"blockPatterns":["^/a"]}', list: line.repeat(4649) });
  const { stdout, stderr } = await runCaptured(['diff', 'old.json', 'new.json', '--paths', 'list'], { cwd });
  assert.match(stdout, /0 verdicts of 4,649 requests of list change/);
  assert.match(
    stderr,
    /^warning: 4,649 of 4,649 requests do not begin with \/, such as line 1: 192\.0\.2\.1 .*\n.*diff old\.json new\.json --paths -\n$/,
  );
});

test('equal policies have no difference', async () => {
  const { status, stdout } = await diff({ old: {}, new: {}, list: '/a\n' });
  assert.equal(
    stdout,
    'old.json to new.json\nno setting and no rule differs\n\n0 verdicts of 1 request of list change\n',
  );
  assert.equal(status, 0);
});

const rules = { blockPatterns: ['^/a'] };
const modes = [
  ['detect', 'enforce', '1 request is blocked, and no longer only reported'],
  ['enforce', 'detect', '1 request is only reported, and no longer blocked'],
] as const;
for (const [old, fresh, effect] of modes)
  test(`says that the mode changes from ${old} to ${fresh}`, async () => {
    const given = { old: { ...rules, mode: old }, new: { ...rules, mode: fresh }, list: '/a\n/b\n' };
    const { status, changedVerdicts, mode } = await result(given);
    assert.deepEqual([status, changedVerdicts, mode], [1, 0, { old, new: fresh, requests: 1 }]);
    const end = `0 verdicts of 2 requests of list change\nthe mode changes from ${old} to ${fresh}: ${effect}\n`;
    assert.ok((await diff(given)).stdout.endsWith(`\n\n${end}`));
  });

test('refuses to read standard input twice', async () => {
  const { status, stderr } = await runCaptured(['diff', '-', 'x', '--paths', '-']);
  assert.equal(status, 2);
  assert.match(stderr, /standard input is used twice/);
});
