import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import { runCaptured } from '../../testing/captured.ts';
import { scratch } from '../../testing/scratch.ts';
import type { AllowResult } from './result.ts';
import { secretCategories } from './secret.ts';

const run = (file: string, argv: readonly string[]) =>
  runCaptured(['allow', ...argv], { cwd: scratch({ 'guard.json': file }) });

describe('the suite beside the policy', () => {
  const suite =
    '# ours\ncases:\n  # the start page\n  - name: start\n    request: { path: / } # why\n    expect: { verdict: allowed }\n';
  const written = async (files: Record<string, string>, argv: readonly string[]) => {
    const cwd = scratch({ 'guard.json': '{}', ...files });
    const captured = await runCaptured(['allow', ...argv, '--write'], { cwd });
    return { ...captured, cwd, read: () => readFileSync(join(cwd, 'cases.yaml'), 'utf8') };
  };
  it('gets no case when it is a pipe', async () => {
    const cwd = scratch({ 'guard.json': '{}' });
    execFileSync('mkfifo', [join(cwd, 'cases.yaml')]);
    const { status, stderr } = await runCaptured(['allow', '/a/.env', '--write'], { cwd });
    assert.deepEqual([status, /cases\.yaml.*not a regular file/.test(stderr)], [0, true], stderr);
  });
  it('gets a case, which passes, and keeps its comments', async () => {
    const url = 'https://shop.example.com/a/.env?x=1';
    const { status, stderr, cwd, read } = await written({ 'cases.yaml': suite }, [url]);
    assert.equal(status, 0);
    assert.match(stderr, /^note: cases\.yaml has a case for it$/m);
    assert.equal(
      read(),
      `${suite}  - name: allows shop.example.com/a/.env?x=1\n    request: { path: /a/.env?x=1, headers: { Host: shop.example.com } }\n    expect: { verdict: allowed }\n`,
    );
    const tested = await runCaptured(['test', '--suite', 'cases.yaml', '-c', 'guard.json'], { cwd });
    assert.equal(tested.status, 0, tested.stdout);
  });
  for (const [name, text] of [
    [
      'flow lists and escapes',
      'policies: [guard.json]\ncases:\n- name: "a\\xe9"\n  request: { paths: [/a, /b] } # x\n  expect: {verdict: allowed}\n',
    ],
    ['no line end', suite.trimEnd()],
    ['another key at the end', `${suite}\n# at the end\npolicies: [ guard.json ]\n`],
    ['lines that end in CRLF', suite.replaceAll('\n', '\r\n')],
  ] as const)
    it(`keeps every byte of a suite with ${name}`, async () => {
      const { read, stderr } = await written({ 'cases.yaml': text }, ['/a/.env']);
      const added = /\r?\n *- name: allows \/a\/\.env\r?\n.*\r?\n.*verdict: allowed \}/.exec(read());
      assert.ok(added, stderr);
      assert.equal(
        read()
          .replace(added[0].replace(/\r?\n$/, ''), '')
          .trimEnd(),
        text.trimEnd(),
      );
    });
  for (const [name, text, reason, target = '/a/.env'] of [
    ['is not valid', 'cases: 5\n', /no case was added to .*it is not valid/],
    ['does not test bytes', suite, /the target is not ASCII/, '/a/\xe9\x9b/.env'],
    ['tests other policies', suite.replace('cases:', 'policies: [other.json]\ncases:'), /it tests other policies/],
  ] as const)
    it(`keeps its text when it ${name}, and the exception is written`, async () => {
      const { status, stderr, read } = await written({ 'cases.yaml': text }, [target]);
      assert.deepEqual([status, read()], [0, text]);
      assert.match(stderr, reason);
    });
});

test('warns about files that should never be public, by the class of the rule', async () => {
  for (const category of secretCategories)
    assert.ok(
      builtInRules.some((rule) => rule.category === category),
      category,
    );
  for (const target of ['/.git/config', '/backup/id_rsa', '/dump.sql'])
    assert.match((await run('{}', [target])).stderr, /WARNING: this file should never be public/, target);
  const query = await run('{"checkQuery":true}', ['/search?q=1+union+select+2']);
  assert.doesNotMatch(query.stderr, /WARNING/);
  assert.match((await run('{}', ['/.git/config', '--write'])).stderr, /Remove the exception unless/);
  const { secrets } = JSON.parse((await run('{}', ['/.git/config', '--json'])).stdout) as AllowResult;
  assert.ok(secrets?.some(({ rule }) => rule === 'hidden-seg'));
});
