import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { artefacts } from '../artefacts/artefacts.ts';
import { modes } from '../contract/policy/modes.ts';
import { packageRoot } from '../platform/assets.ts';
import { pinnedBase } from '../sandbox-images/bases.ts';
import { jobs, suites, tasks } from './jobs.ts';
import { heavyTests } from './suites/check.ts';
import { testFiles } from './suites/suite.ts';
import { neededTasks } from './tasks/run.ts';

const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');
const isSuite = (name: string): boolean => suites.some((suite) => suite.name === name);
const stepsOf = (job: string): string[] =>
  neededTasks(tasks, jobs[job] ?? [])
    .map(({ name }) => name)
    .filter((name) => !isSuite(name));

describe('the tables of steps, suites and jobs', () => {
  it('have unique task names that differ from the job names', () => {
    const names = [...tasks.map(({ name }) => name), ...Object.keys(jobs)];
    assert.deepEqual(names, [...new Set(names)]);
  });

  it('have each task after the ones that it needs or follows, and each goal', () => {
    const names = tasks.map(({ name }) => name);
    for (const [index, { name, needs = [], after = [] }] of tasks.entries()) {
      for (const other of [...needs, ...after]) assert.ok(names.slice(0, index).includes(other), `${name}: ${other}`);
    }
    for (const goal of Object.values(jobs).flat()) assert.ok(names.includes(goal), goal);
  });

  it('need no container and no compiler for npm run check, and no test programs for the demo', () => {
    assert.deepEqual(stepsOf('check'), ['native', 'build']);
    assert.deepEqual(stepsOf('demo').sort(), jobs.demo?.toSorted());
  });

  it('compile the library of Go once for the programs of the demo', () => {
    const programs = (jobs.demo ?? []).filter((name) => Object.hasOwn(artefacts, name));
    const first = tasks.filter(
      ({ name, after = [] }) => programs.includes(name) && !after.some((one) => programs.includes(one)),
    );
    assert.deepEqual([programs, first.map(({ name }) => name)], [['caddy', 'runner'], ['caddy']]);
  });

  it('run each compiled test file in exactly one suite, and name no other heavy test', () => {
    const cwd = join(packageRoot, 'dist');
    const runs = suites.flatMap(({ files }) => (files && !files.env ? testFiles(files) : []));
    assert.deepEqual(runs.sort(), globSync('**/*.test.js', { cwd }).sort());
    for (const pattern of heavyTests) assert.notDeepEqual(globSync(pattern, { cwd }), [], pattern);
  });
});

it('each response mode has a policy that is sent to the real proxies', () => {
  const test = read('e2e/proxies/modes.test.ts');
  const missing = Object.keys(modes).filter((mode) => mode !== 'text' && !test.includes(`mode: '${mode}'`));
  assert.deepEqual(missing, []); // text is the default
});

describe('pinned versions', () => {
  it('are equal to those in the go.mod of each artefact, and to that of the published Traefik image', () => {
    for (const { source, pins } of Object.values(artefacts)) {
      for (const [module, version] of Object.entries(pins)) {
        assert.ok(read(`${source}/go.mod`).includes(`${module} ${version}`), `${module} ${version}`);
      }
    }
    const version = artefacts.traefik.pins['github.com/traefik/traefik/v3'];
    assert.equal(pinnedBase('traefik'), `docker.io/library/traefik:${version}`);
  });

  it('of Node are the same for every platform, in the lock file and in .node-version', () => {
    const wanted = read('.node-version').trim();
    const { optionalDependencies } = JSON.parse(read('scripts/toolchain/package.json'));
    const { packages } = JSON.parse(read('package-lock.json'));
    for (const [name, version] of Object.entries(optionalDependencies)) {
      assert.deepEqual([version, packages[`node_modules/${name}`].version], [wanted, wanted], name);
      assert.match(packages[`node_modules/${name}`].integrity, /^sha512-/, name);
    }
  });
});
