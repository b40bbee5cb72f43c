import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { skipsText } from '../tasks/report.ts';
import { readCounts } from './reporter.ts';
import { reviewed, unreviewed } from './skips.ts';

function printed(t: TestContext, source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'guard-reporter-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'some.test.mjs'), `import { describe, it } from 'node:test';\n${source}`);
  const reporter = join(packageRoot, 'scripts/suites/reporter.ts');
  // Without this, the inner test runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['--test', `--test-reporter=${reporter}`, 'some.test.mjs'];
  return spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' }).stdout;
}

describe('the reporter of the task runner', () => {
  it('counts tests, and lists skipped tests with their reasons', (t) => {
    const output = printed(
      t,
      `it('passes', () => console.log('no line end'));
      it('fails', () => { throw new Error('no'); });
      it('is left out', { skip: 'there is no disk' }, () => {});
      describe('all of these', { skip: 'there is no nginx' }, () => it('is inside', () => {}));`,
    );
    assert.deepEqual(readCounts(output), {
      passed: 1,
      failed: 1,
      skipped: [
        { name: 'is left out', reason: 'there is no disk' },
        { name: 'all of these', reason: 'there is no nginx' },
      ],
    });
  });

  it('returns no counts for a run that ended before its summary', () => {
    assert.equal(readCounts('some text\n'), undefined);
  });
});

describe('skipped tests', () => {
  const disk = { name: 'unit: a full disk', reason: 'mounting a small file system needs root' };
  const other = { name: 'unit: something', reason: 'a mood' };
  const third = { name: 'faults: something else', reason: 'a mood' };

  it('are listed by reason', () => {
    const text = '\nskipped: a mood\n  unit: something\n  faults: something else\n';
    assert.equal(skipsText([other, third]), text);
  });

  it('are accepted in CI when a row of the list covers them', () => {
    assert.deepEqual(unreviewed([disk, other]), [other]);
  });

  it('have a justification and a reason that occurs in a test', () => {
    const files = globSync('{cli,daemon,e2e,packaging}/**/*.test.ts', { cwd: packageRoot });
    const sources = files.map((file) => readFileSync(join(packageRoot, file), 'utf8')).join();
    for (const { why, reason } of reviewed) {
      assert.ok(why.length > 20, why);
      assert.ok(sources.includes(reason), reason);
    }
  });
});
