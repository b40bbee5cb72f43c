/** Runs examples/ci/ and action.yml as CI services do, with real sandboxes. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, test } from 'node:test';
import { targets } from '../../../cli/targets/table.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { skip, temporaryFile } from '../../support/guardcli.ts';
import { jobsOf, runAction } from './github.ts';
import { pipelineOf } from './gitlab.ts';
import { createWorkspace } from './workspace.ts';

const fileOf = (name: string): string => readFileSync(join(packageRoot, name), 'utf8');
const action = fileOf('action.yml');

/** Returns `name: tests/failures` of each JUnit file. */
const counts = (files: Readonly<Record<string, string>>): string[] =>
  Object.entries(files)
    .map(([name, text]) => {
      const [, tests, failures] = /<testsuites [^>]*tests="(\d+)" failures="(\d+)"/.exec(text) ?? [];
      return `${name}: ${tests}/${failures}`;
    })
    .sort();

const annotation =
  /^::error file=cases\.yaml,line=\d+,col=5,title=wrong::GET \/\.env%0Averdict: expected allowed, got blocked/m;

describe('examples/ci/github.yml', { skip }, () => {
  const jobs = jobsOf(fileOf('examples/ci/github.yml'));
  it('has a job for each target', () => {
    const names = targets.map(({ name, neutral = name }) => `sandbox ${neutral}`);
    assert.deepEqual(
      jobs.map(({ name }) => name),
      ['policy', ...names],
    );
  });
  for (const { name, run } of jobs) {
    it(`passes in job ${name}, and stores JUnit XML of a proxy`, async (t) => {
      const { isPassed, log, artifacts } = await run(await createWorkspace(t));
      assert.ok(isPassed, log);
      const proxy = /^sandbox (proxy.)$/.exec(name)?.[1];
      assert.deepEqual(counts(artifacts), proxy === undefined ? [] : [`guard-${proxy}.xml: 20/0`]);
    });
  }
  it('annotates a wrong case, and fails', async (t) => {
    const { isPassed, log } = (await jobs[0]?.run(await createWorkspace(t, { isWrong: true }))) ?? assert.fail();
    assert.equal(isPassed, false);
    assert.match(log, annotation);
  });
  it('stores and shows the JUnit XML of a wrong case, and fails', async (t) => {
    const job = jobs.find(({ name }) => name === 'sandbox proxyb') ?? assert.fail();
    const { isPassed, log, artifacts } = await job.run(await createWorkspace(t, { isWrong: true }));
    assert.equal(isPassed, false);
    assert.deepEqual(counts(artifacts), ['guard-proxyb.xml: 21/1']);
    assert.match(
      log,
      /## Show which cases failed\n[\s\S]*<failure message="verdict: expected allowed, got blocked \(env-file\)"/,
    );
  });
});

describe('examples/ci/gitlab-ci.yml', { skip }, () => {
  const text = fileOf('examples/ci/gitlab-ci.yml');
  const jobs = pipelineOf(text, { GUARD_RUNNER: 'shell' });
  it('has jobs with a sandbox only where a runner for them is named', () => {
    const names = pipelineOf(text, {}).map(({ name }) => name);
    assert.deepEqual(names, ['guard']);
    assert.equal(jobs.length, 1 + targets.length);
  });
  for (const { name, run } of jobs) {
    it(`passes in job ${name}`, async (t) => {
      const { status, log, reports } = await run(await createWorkspace(t));
      assert.equal(status, 0, log);
      assert.equal(Object.keys(reports).length, name === 'guard-tcp-guard' ? 0 : 1);
      for (const count of counts(reports)) assert.match(count, /: 20\/0$/);
    });
  }
  it('fails with a wrong case, which is in the JUnit XML', async (t) => {
    const { status, reports } = (await jobs[0]?.run(await createWorkspace(t, { isWrong: true }))) ?? assert.fail();
    assert.equal(status, 1);
    assert.deepEqual(counts(reports), ['guard.xml: 21/1']);
  });
});

describe('examples/ci/shell.sh', { skip }, () => {
  const script = fileOf('examples/ci/shell.sh');
  it('passes with every target', async (t) => {
    const place = await createWorkspace(t);
    const { status, log } = await place.run(['sh'], script, place.variables);
    assert.equal(status, 0, log);
    assert.deepEqual(
      counts(place.read('*.xml')),
      ['a', 'b', 'c'].map((letter) => `guard-proxy${letter}.xml: 20/0`),
    );
    assert.match(log, /^tcp-guard on .*: PASSED/m);
  });
  it('fails with a wrong case before it starts a sandbox', async (t) => {
    const place = await createWorkspace(t, { isWrong: true });
    const { status, log } = await place.run(['sh'], script, place.variables);
    assert.equal(status, 1);
    assert.match(log, /FAILED wrong\n/);
    assert.deepEqual(place.read('*.xml'), {});
  });
});

describe('action.yml', { skip }, () => {
  const run = async (
    t: Parameters<typeof createWorkspace>[0],
    inputs: Readonly<Record<string, string>>,
    isWrong = false,
  ) => {
    const place = await createWorkspace(t, { isWrong });
    const { GUARD_PACKAGE = '', GUARD_PORT = '' } = place.variables;
    const ran = await runAction(action, { package: GUARD_PACKAGE, port: GUARD_PORT, ...inputs }, place);
    return { ...ran, files: place.read('*') };
  };
  it('tests offline, and writes JUnit XML', async (t) => {
    const { isPassed, log, outputs, files } = await run(t, { junit: 'my results.xml', 'min-coverage': '1' });
    assert.ok(isPassed, log);
    assert.deepEqual(outputs, { junit: 'my results.xml' });
    assert.deepEqual(counts({ xml: files['my results.xml'] ?? '' }), ['xml: 20/0']);
  });
  it('annotates a wrong case, and fails', async (t) => {
    const { isPassed, log, outputs, files } = await run(t, { target: 'proxya' }, true);
    assert.equal(isPassed, false);
    assert.match(log, annotation);
    assert.deepEqual(outputs, { junit: 'guard.xml' });
    assert.deepEqual(counts({ xml: files['guard.xml'] ?? '' }), ['xml: 21/1']);
  });
  it('fails if the coverage is too low', async (t) => {
    const { isPassed, log } = await run(t, { 'min-coverage': '100' });
    assert.equal(isPassed, false);
    assert.match(log, /^::error file=cases\.yaml::coverage of guard\.json is \d+ %25, less than 100 %25$/m);
  });
  for (const { name } of targets) {
    it(`runs a sandbox of ${name}`, async (t) => {
      const { isPassed, log, files } = await run(t, { target: name });
      assert.ok(isPassed, log);
      assert.deepEqual(counts({ xml: files['guard.xml'] ?? '' }), ['xml: 20/0']);
      assert.match(log, name === 'tcp-guard' ? /## Send the probes/ : /## Send the cases/);
    });
  }
  for (const name of targets.flatMap((target) => [target.name, target.neutral ?? []].flat())) {
    it(`accepts the target ${name}`, async (t) => {
      const { log } = await run(t, { target: name, package: '-' });
      assert.match(log, /^## Check the inputs\n::error [^\n]*input package is not valid[^\n]*\n$/);
    });
  }
});

/** Values of inputs. None may reach a shell as code, or a command line as an option. */
const hostile: Readonly<Record<string, string>> = {
  policy: '--help',
  suite: 'a\n::set-output name=x::y',
  target: '$(touch owned)',
  'min-coverage': '1; touch owned',
  junit: '-x',
  port: '8080 --isolated',
  package: 'request-guard; touch owned',
};

for (const [name, value] of Object.entries(hostile)) {
  test(`action.yml refuses an invalid ${name} before it installs anything`, async (t) => {
    const place = await createWorkspace(t);
    const { isPassed, log } = await runAction(action, { [name]: value }, place);
    assert.equal(isPassed, false);
    assert.match(
      log,
      new RegExp(
        `^## Check the inputs\n::error title=Request Guard::The input ${name} is not valid: expected .*\\.\n$`,
      ),
    );
    assert.deepEqual(place.read('owned'), {});
  });
}

for (const [input, path] of [
  ['policy', 'guard.json'],
  ['suite', 'linked/cases.yaml'],
  ['junit', 'guard.xml'],
] as const) {
  test(`action.yml refuses a ${input} behind a symbolic link`, async (t) => {
    const place = await createWorkspace(t);
    const outside = temporaryFile('keys', 'a-key-of-this-machine');
    const [link = ''] = path.split('/');
    rmSync(join(place.folder, link), { force: true });
    symlinkSync(path.includes('/') ? dirname(outside) : outside, join(place.folder, link));
    const { isPassed, log } = await runAction(action, { [input]: path }, place);
    assert.equal(isPassed, false);
    assert.match(
      log,
      new RegExp(`^## Check the inputs\n::error [^\n]*input ${input} is not valid: .* symbolic links\\.\n$`),
    );
    assert.equal(readFileSync(outside, 'utf8'), 'a-key-of-this-machine');
  });
}

test('action.yml passes odd but valid values on as they were given', async (t) => {
  const place = await createWorkspace(t);
  const junit = '$(touch owned) `touch owned` "; touch owned; "\'.xml';
  const { GUARD_PACKAGE = '' } = place.variables;
  const { isPassed, log } = await runAction(action, { package: GUARD_PACKAGE, junit }, place);
  assert.ok(isPassed, log);
  assert.deepEqual(Object.keys(place.read('*.xml')), [junit]);
  assert.deepEqual(place.read('owned'), {});
});

test('action.yml installs its own checkout where no package is named', { skip }, async (t) => {
  const place = await createWorkspace(t);
  const { isPassed, log } = await runAction(action, {}, place);
  assert.ok(isPassed, log);
  assert.deepEqual(counts({ xml: place.read('guard.xml')['guard.xml'] ?? '' }), ['xml: 20/0']);
});
