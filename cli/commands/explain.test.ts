import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import type { Explanation } from '../policy/explain/explain.ts';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';

async function explain(cwd: string, id: string): Promise<Explanation> {
  const { status, stdout, stderr } = await runCaptured(['explain', id, '--json'], { cwd });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  return JSON.parse(stdout) as Explanation;
}

test('explains a built-in rule under the policy of the working directory', async () => {
  const policy = {
    disabledRules: ['env-file'],
    exceptions: [{ rules: ['key-ssh'], path: '^/docs/', hosts: ['a.example'] }],
  };
  const cwd = scratch({ 'guard.json': JSON.stringify(policy) });
  const off = await explain(cwd, 'env-file');
  const row = builtInRules.find(({ id }) => id === 'env-file');
  assert.deepEqual([off.active, off.inactive], [false, 'disabledRules contains it']);
  assert.deepEqual([off.why, off.pattern, off.matches], [row?.why, row?.pattern, row?.matches]);
  const on = await explain(cwd, 'key-ssh');
  assert.deepEqual(on.exceptions, [{ name: 'exceptions[0]', path: '^/docs/', hosts: ['a.example'] }]);
  assert.equal(on.active, true);
});

test('builds examples of a custom rule that hold', async () => {
  const rule = { id: 'reports', action: 'block', pattern: '^/reports/[0-9]{4}$', description: 'Old reports.' };
  const cwd = scratch({ 'guard.json': JSON.stringify({ rules: [rule], blockPatterns: ['^/x'] }) });
  const { origin, why, matches, nearMisses } = await explain(cwd, 'reports');
  assert.deepEqual([origin, why], ['policy', 'Old reports.']);
  assert.ok(matches.length > 0 && matches.every((text) => /^\/reports\/[0-9]{4}$/.test(text)), matches.join());
  assert.ok(nearMisses.length > 0 && nearMisses.every((text) => !/^\/reports\/[0-9]{4}$/.test(text)));
  assert.equal((await explain(cwd, 'block[0]')).pattern, '^/x');
});

test('suggests the nearest rule', async () => {
  const { status, stderr } = await runCaptured(['explain', 'env-fil']);
  assert.equal(status, 2);
  assert.equal(stderr, 'error: there is no rule "env-fil". Did you mean "env-file"?\n');
});

test('suggests the rules that have the word in their id', async () => {
  const { stderr } = await runCaptured(['explain', 'Env']);
  assert.match(
    stderr,
    /^error: there is no rule "Env"\. Did you mean one of (?:[a-z0-9-]*env[a-z0-9-]*(?:, )?){2,5}\?\n$/,
  );
  assert.match(stderr, /\benv-file\b/);
});

test('names the page of the rules where no rule is near', async () => {
  const { stderr } = await runCaptured(['explain', 'nothing']);
  assert.match(stderr, / docs\/policy\.md/);
});

test('prints a text for people', async () => {
  const cwd = scratch({ 'guard.json': '{"allowPatterns": ["^/free/"]}' });
  const { stdout } = await runCaptured(['explain', 'allow[0]'], { cwd });
  assert.equal(
    stdout,
    [
      'allow[0] allows  rule of the policy',
      '',
      '  inspects  path, query, body',
      '  pattern   ^/free/',
      '  state     active in guard.json',
      '',
      'Matches:',
      '  /free/',
      '',
      'Barely does not match:',
      '  /free-',
      '',
      'Off:',
      '  everywhere  remove it from the policy',
      '',
    ].join('\n'),
  );
});

test('names the products of a rule for fixed names of files, with the documentation', async () => {
  const { products = [] } = await explain(scratch({}), 'file-secret-3');
  assert.deepEqual(
    products.find(({ name }) => name === 'dovecot-users'),
    {
      name: 'dovecot-users',
      product: 'Dovecot',
      reveals: 'accounts with password hashes',
      source: 'Dovecot documentation: dovecot.conf, dovecot-sql.conf.ext, passwd-file',
    },
  );
  const { stdout } = await runCaptured(['explain', 'file-secret-3']);
  assert.match(
    stdout,
    /\nFiles of products:\n(?: {2}.+\n)* {2}dovecot-users +Dovecot: accounts with password hashes \(Dovecot/,
  );
  assert.equal((await explain(scratch({}), 'env-file')).products, undefined);
});
