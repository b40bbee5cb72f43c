/** Runs examples/cases.yaml in a sandbox, and at the URL of a sandbox. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SuiteResult } from '../../cli/suite/result.ts';
import { packageRoot } from '../../platform/assets.ts';
import { freePort, run, runSandbox, skip, start, temporaryFile } from '../support/guardcli.ts';

const policy = join(packageRoot, 'examples/guard.json');
const cases = join(packageRoot, 'examples/cases.yaml');

const wrong = JSON.stringify({
  cases: [
    { name: 'wrong verdict', request: { path: '/.env' }, expect: { verdict: 'allowed' } },
    { name: 'wrong rule', request: { path: '/.env' }, expect: { rule: 'git-dir' } },
    { name: 'refused', request: { raw: '/a b' }, expect: { verdict: 'refused', status: 400 } },
  ],
});

const others = ({ results }: SuiteResult): string[] =>
  results.filter(({ status }) => status !== 'passed').map(({ name, status }) => `${status} ${name}`);

const skipped = ['skipped lets the network of a partner bypass the policy'];

for (const proxy of ['caddy', 'nginx', 'traefik'])
  test(`sandbox ${proxy} --suite passes with the examples and leaves nothing behind`, { skip }, async (t) => {
    const port = await freePort();
    const args = ['sandbox', proxy, policy, '--suite', cases, '--reporter', 'json'];
    const { status, stdout, stderr, left } = await runSandbox(t, args, port);
    assert.equal(status, 0, stdout + stderr);
    assert.deepEqual(others(JSON.parse(stdout) as SuiteResult), skipped);
    assert.deepEqual(left, []);
  });

test('sandbox caddy --suite fails where the proxy does otherwise than a case says', { skip }, async (t) => {
  const args = ['sandbox', 'caddy', policy, '--suite', temporaryFile('cases.yaml', wrong), '--reporter', 'tap'];
  const { status, stdout } = await runSandbox(t, args, await freePort());
  assert.equal(status, 1);
  assert.match(stdout, /^not ok 1 - wrong verdict$/m);
  assert.match(stdout, /^not ok 2 - wrong rule$/m);
  assert.match(stdout, /^ok 3 - refused$/m);
});

test('probe URL --suite passes with the examples, and fails with wrong cases', { skip }, async (t) => {
  const port = await freePort();
  const running = start(t, ['sandbox', 'caddy', policy, '--port', String(port)]);
  await running.says('serving on');
  const probe = ['probe', `http://localhost:${port}`, '--proxy', 'caddy', '--reporter', 'json', '--suite'];
  const { status, stdout, stderr } = await run(t, [...probe, cases]);
  assert.equal(status, 0, stdout + stderr);
  assert.deepEqual(others(JSON.parse(stdout) as SuiteResult), skipped);
  const failed = await run(t, [...probe, temporaryFile('cases.yaml', wrong), '-c', policy]);
  assert.equal(failed.status, 1);
  assert.deepEqual(others(JSON.parse(failed.stdout) as SuiteResult), ['failed wrong verdict', 'failed wrong rule']);
  running.child.kill('SIGINT');
  assert.equal(await running.ended, 130);
});
