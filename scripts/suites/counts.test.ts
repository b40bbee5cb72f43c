import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { skipsText } from '../tasks/show.ts';
import { goCounts, goFailures, nodeCounts, nodeFailures } from './counts.ts';
import { reviewedSkips, unreviewedSkips } from './skips.ts';

const tests = `
  import { describe, it } from 'node:test';
  it('passes', () => console.log('no line end'));
  it('fails', () => { throw new Error('no'); });
  it('is left out', { skip: 'there is no disk' }, () => {});
  describe('all of these', { skip: 'there is no nginx' }, () => it('is inside', () => {}));`;

it('counts the tests of node:test, and lists skipped tests with their reasons', () => {
  const folder = scratchFolder('guard-counts-');
  writeFileSync(join(folder, 'some.test.mjs'), tests);
  // Without this, the inner test runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['--test', '--test-reporter=spec', 'some.test.mjs'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  assert.deepEqual(nodeCounts(stdout), {
    passed: 1,
    failed: 1,
    skipped: [
      { name: 'is left out', reason: 'there is no disk' },
      { name: 'all of these', reason: 'there is no nginx' },
    ],
  });
  assert.equal(nodeCounts(stdout.slice(0, stdout.indexOf('ℹ'))), undefined);
  assert.match(nodeFailures(stdout), /^✖ failing tests:\n\ntest at some\.test\.mjs:4:3\n✖ fails .*\n {2}Error: no\n/);
});

const go = `=== RUN   TestAlone
--- PASS: TestAlone (0.00s)
=== RUN   TestGroup
=== RUN   TestGroup/bad
    group_test.go:8: want 1, got 2
=== RUN   TestGroup/three
    three_test.go:3: there is no disk
--- FAIL: TestGroup (0.00s)
    --- FAIL: TestGroup/bad (0.00s)
    --- SKIP: TestGroup/three (0.00s)
FAIL
# example/p
p.go:3:1: undefined: x
FAIL	example/p [build failed]
?   	example/without	[no test files]
`;

it('counts each Go test without subtests, and each package that does not compile', () => {
  const skipped = [{ name: 'TestGroup/three', reason: 'there is no disk' }];
  assert.deepEqual(goCounts(go), { passed: 1, failed: 2, skipped });
});

it('quotes what failed Go tests and packages printed', () => {
  assert.match(goFailures(go), /^ {4}group_test.go:8: want 1, got 2\n/);
  assert.match(goFailures(go), /\np.go:3:1: undefined: x\nFAIL\texample\/p \[build failed\]\n$/);
});

it('lists skipped tests by reason, and accepts those in CI that a row of the list covers', () => {
  const disk = { name: 'unit: a full disk', reason: 'mounting a small file system needs root' };
  const other = { name: 'unit: something', reason: 'a mood' };
  const third = { name: 'faults: something else', reason: 'a mood' };
  assert.equal(skipsText([other, third]), '\nskipped: a mood\n  unit: something\n  faults: something else\n');
  assert.deepEqual(unreviewedSkips([disk, other]), [other]);
});

it('each reviewed skip has a reason that occurs in a test', () => {
  const files = globSync(['{cli,daemon,e2e,packaging}/**/*.test.ts', 'daemon/plane/testing/conformance/*.ts'], {
    cwd: packageRoot,
  });
  const sources = files.map((file) => readFileSync(join(packageRoot, file), 'utf8')).join();
  assert.deepEqual(
    reviewedSkips.filter(({ reason }) => !sources.includes(reason)),
    [],
  );
});
