import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../platform/assets.ts';
import { artefacts } from '../sandbox-images/artefacts.ts';
import { pinnedBase } from '../sandbox-images/bases.ts';
import { jobs } from './jobs.ts';
import { steps } from './steps/index.ts';
import { goModules } from './suites/go.ts';
import { suites } from './suites/index.ts';
import { testFiles } from './suites/node-tests.ts';
import { heavyTests } from './suites/source.ts';
import { order } from './tasks/order.ts';

const tasks = [...steps, ...suites];
const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');

describe('the tables of steps, suites and jobs', () => {
  it('have unique task names that differ from the job names', () => {
    const names = [...tasks.map(({ name }) => name), ...Object.keys(jobs)];
    assert.deepEqual(names, [...new Set(names)]);
  });

  it('have an order for every job', () => {
    for (const [name, { goals }] of Object.entries(jobs)) {
      assert.ok(order(tasks, goals).length >= goals.length, name);
    }
  });

  it('have each suite either in npm test or in npm run test:full', () => {
    const goals = [...(jobs.test?.goals ?? []), ...(jobs.full?.goals ?? [])].filter((name) => name !== 'prune');
    assert.deepEqual(goals.sort(), suites.map(({ name }) => name).sort());
  });

  it('need no container and no compiler for npm run check', () => {
    const brought = order(tasks, jobs.check?.goals ?? []).filter((task) => steps.includes(task));
    assert.deepEqual(brought.map(({ name }) => name).sort(), ['build', 'native', 'packages']);
  });

  it('run each compiled test file in exactly one suite', () => {
    const cwd = join(packageRoot, 'dist');
    const runs = suites.flatMap(({ files }) => (files ? [testFiles(files)] : [])).flat();
    assert.deepEqual(runs.sort(), globSync('**/*.test.js', { cwd }).sort());
  });

  it('need no tests and no test programs for the demo', () => {
    const needed = order(tasks, jobs.demo?.goals ?? []);
    assert.deepEqual(
      needed.filter((task) => suites.some((suite) => suite === task)),
      [],
    );
  });

  it('list each of our Go modules with sources', () => {
    const folders = globSync('{module,sandbox-images}/**/go.mod', { cwd: packageRoot }).map(dirname);
    const moduleOf = (file: string) =>
      folders
        .filter((folder) => file.startsWith(`${folder}/`))
        .sort()
        .at(-1);
    const sources = globSync('{module,sandbox-images}/**/*.go', { cwd: packageRoot });
    const tested = new Set(sources.filter((file) => file.endsWith('_test.go')).map(moduleOf));
    assert.deepEqual(goModules.map(({ folder }) => folder).sort(), [...new Set(sources.map(moduleOf))].sort());
    assert.deepEqual(
      goModules
        .filter(({ hasTests }) => hasTests)
        .map(({ folder }) => folder)
        .sort(),
      [...tested].sort(),
    );
  });
});

it('each heavy test is there under its name', () => {
  const cwd = join(packageRoot, 'dist');
  assert.deepEqual(
    heavyTests.filter((pattern) => globSync(pattern, { cwd }).length === 0),
    [],
  );
});

describe('pinned versions', () => {
  it('are equal to those in the go.mod of each artefact', () => {
    for (const { source, pins } of Object.values(artefacts)) {
      for (const [module, version] of Object.entries(pins)) {
        assert.ok(read(`${source}/go.mod`).includes(`${module} ${version}`), `${module} ${version}`);
      }
    }
  });

  it('are equal to those of the published Traefik image', () => {
    const version = artefacts.traefik.pins['github.com/traefik/traefik/v3'];
    assert.equal(pinnedBase('traefik'), `docker.io/library/traefik:${version}`);
  });

  it('of Node are the same for every platform, in the lock file and in .node-version', () => {
    const wanted = read('.node-version').trim();
    const { optionalDependencies } = JSON.parse(read('scripts/toolchain/package.json'));
    const { packages } = JSON.parse(read('scripts/toolchain/package-lock.json'));
    for (const [name, version] of Object.entries(optionalDependencies)) {
      assert.equal(version, wanted, name);
      assert.equal(packages[`node_modules/${name}`].version, wanted, name);
      assert.match(packages[`node_modules/${name}`].integrity, /^sha512-/, name);
    }
  });
});
