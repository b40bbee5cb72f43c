/** Suites of the Go modules: format, go vet, and tests. */
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compilerFlags } from '../../artefacts/go.ts';
import { packageRoot } from '../../platform/assets.ts';
import type { TaskContext } from '../tasks/task.ts';
import { goCounts, goFailures } from './counts.ts';
import { program, type Suite } from './suite.ts';

/** This module requires a version of the guard that exists only in the workspace until a release. */
const workspaceModule = 'module/caddy';
/** Build settings of the artefacts. */
export const sharedBuildSettings = { CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: compilerFlags.join(' ') };

const goFiles = (name: string): string[] => globSync(`{module,sandbox-images}/**/${name}`, { cwd: packageRoot }).sort();
const modules = goFiles('go.mod').map(dirname).sort();
/** The tests of one package. With ten other jobs on two cores, the fuzz seeds of the engine took over 10 minutes. */
const hangTime = '30m';
/** Returns the Go modules that contain files of this name pattern. A module without Go files only pins versions. */
const modulesWith = (name: string): Set<string> =>
  new Set(goFiles(name).flatMap((file) => modules.findLast((folder) => file.startsWith(`${folder}/`)) ?? []));
const testedModules = modulesWith('*_test.go');

const format = program('gofmt', 'checking the format of Go sources', ['go'], {
  command: ['gofmt', '-l', ...goFiles('*.go')],
  read: (unformatted) => ({ passed: unformatted ? 0 : 1, failed: unformatted ? 1 : 0, skipped: [] }),
  fix: 'run `gofmt -w` on the files named above',
});

/** Counts the tests. Logs the output of failed tests. */
function readTests(output: string, { log }: TaskContext) {
  log(goFailures(output));
  return goCounts(output);
}

/** Modules that wait for an artefact, because Go's build cache shares the compiled packages. */
const artefactOf: Readonly<Record<string, string>> = {
  'module/caddy': 'caddy',
  'sandbox-images/caddy': 'caddy',
  'sandbox-images/collector': 'collector',
};
/** Modules whose artefacts `npm test` does not need. */
const lateModules = ['sandbox-images/collector'];

function suitesOf(folder: string): Suite[] {
  const name = folder.replace('sandbox-images/', '').replaceAll('/', '-');
  const needs = ['go', artefactOf[folder] ?? []].flat();
  const GOWORK = folder === workspaceModule ? join(packageRoot, 'module/go.work') : sharedBuildSettings.GOWORK;
  const options = { cwd: join(packageRoot, folder), env: { ...sharedBuildSettings, GOWORK } };
  const vet = program(`vet-${name}`, `go vet in ${folder}`, needs, { command: ['go', 'vet', './...'], ...options });
  const test = program(`go-${name}`, `go test in ${folder}`, needs, {
    command: ['go', 'test', '-v', '-timeout', hangTime, './...'],
    ...options,
    isQuiet: true,
    read: readTests,
    fix: `run \`go test ./...\` in ${folder}`,
  });
  return testedModules.has(folder) ? [vet, test] : [vet];
}

export const lateGoSuites: readonly Suite[] = lateModules.flatMap(suitesOf);
export const goSuites: readonly Suite[] = [
  format,
  ...[...modulesWith('*.go')].filter((folder) => !lateModules.includes(folder)).flatMap(suitesOf),
];
