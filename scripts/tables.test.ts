import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../platform/assets.ts';
import { artefacts } from '../sandbox-images/artefacts.ts';
import { order } from './graph/order.ts';
import { jobs } from './jobs.ts';
import { goModules } from './parts/go-modules.ts';
import { parts } from './parts/index.ts';
import { steps } from './steps/index.ts';

const tasks = [...steps, ...parts];
const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');

describe('the tables of steps, parts and jobs', () => {
  it('name every task once, and none like a job', () => {
    const names = [...tasks.map(({ name }) => name), ...Object.keys(jobs)];
    assert.deepEqual(names, [...new Set(names)]);
  });

  it('can be ordered for every job', () => {
    for (const [name, { goals }] of Object.entries(jobs)) {
      assert.ok(order(tasks, goals).length >= goals.length, name);
    }
  });

  it('have each part of the tests in npm test, and no container in npm run check', () => {
    assert.deepEqual(
      jobs.test?.goals,
      parts.map(({ name }) => name),
    );
    const checked = order(tasks, jobs.check?.goals ?? []).map(({ name }) => name);
    assert.equal(checked.includes('engine'), false);
  });

  it('bring for the demo neither tests nor what only tests need', () => {
    const needed = order(tasks, jobs.demo?.goals ?? []);
    assert.deepEqual(
      needed.filter((task) => parts.includes(task)),
      [],
    );
  });

  it('list every Go module of ours that has sources', () => {
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

describe('pinned versions', () => {
  it('are those of the go.mod of each artefact', () => {
    for (const { source, pins } of Object.values(artefacts)) {
      for (const [module, version] of Object.entries(pins)) {
        assert.ok(read(`${source}/go.mod`).includes(`${module} ${version}`), `${module} ${version}`);
      }
    }
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
