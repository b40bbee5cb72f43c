import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import { exploitRules } from '../../contract/policy/exploits.ts';
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
  assert.deepEqual(on.exceptions, [{ name: 'exceptions[0]', path: '^/docs/', hosts: ['a.example'], clients: [] }]);
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

test('lists the rules first whose id has the word', async () => {
  const { rules } = JSON.parse((await runCaptured(['explain', 'ENV', '--json'])).stdout);
  const ids = rules.map(({ id }: { id: string }) => id.includes('env'));
  assert.equal(ids[0], true);
  assert.equal(ids.lastIndexOf(true) < ids.indexOf(false), true);
});

test('suggests the nearest rule where the word finds nothing', async () => {
  const { status, stderr } = await runCaptured(['explain', 'evn-file']);
  assert.equal(status, 2);
  assert.equal(stderr, 'error: no rule has the id "evn-file" or is about it. Did you mean "env-file"?\n');
  for (const nothing of ['qqqq', ''])
    assert.match((await runCaptured(['explain', nothing])).stderr, /guardcli explain lists the rules/i);
});

const words: Readonly<Record<string, string>> = {
  env: 'env-file',
  INJECTION: 'inj-sql',
  'dovecot-users': 'file-secret-3',
  Dovecot: 'file-secret-3',
  '/backup/id_ed25519': 'key-ssh',
};

for (const [word, id] of Object.entries(words))
  test(`finds the rules that are about ${word}`, async () => {
    const { rules } = JSON.parse((await runCaptured(['explain', word, '--json'])).stdout);
    const ids = rules.map((rule: { id: string }) => rule.id);
    assert.ok(ids.includes(id), ids.join());
    assert.ok(ids.length < 100, `${ids.length} of ${builtInRules.length} rules`);
  });

test('lists all rules without an argument, those of the policy first, and says which are off', async () => {
  const cwd = scratch({ 'guard.json': '{"blockPatterns": ["^/x"], "disabledRules": ["env-file"]}' });
  const { stdout, stderr } = await runCaptured(['explain'], { cwd });
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, builtInRules.length + exploitRules().length + 1);
  assert.match(lines[0] ?? '', /^block\[0\] +blocks +of the policy$/);
  assert.match(stdout, /^env-file +blocks +env +\(off\) /m);
  assert.match(stderr, /guardcli explain <id>/);
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

test('lists exploits since a month, newest first, and explains one', async () => {
  const listed = JSON.parse((await runCaptured(['explain', '--exploits', '--since', '2025-06', '--json'])).stdout);
  const dates = listed.rules.map(({ why }: { why: string }) => why.slice(0, 10));
  assert.ok(dates.length > 0 && dates.every((date: string) => date >= '2025-06'), dates.join());
  assert.deepEqual(dates, dates.toSorted().reverse());
  const { stdout } = await runCaptured(['explain', 'cve-2023-42793']);
  assert.match(stdout, /product +JetBrains TeamCity/);
  assert.match(stdout, /exploits is off/);
  for (const wrong of [
    ['--since', '2025'],
    ['--exploits', '--since', 'May'],
  ])
    assert.notEqual((await runCaptured(['explain', ...wrong])).status, 0);
});
