/** Our Go modules and their two parts of the tests: what the compiler suspects, and the tests themselves. */
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import type { Task } from '../graph/task.ts';
import { check } from './checked.ts';
import { runGoTests } from './go-tests.ts';

interface GoModule {
  readonly name: string;
  readonly folder: string;
  readonly needs: readonly string[];
  readonly hasTests: boolean;
}

/** Modules that import Caddy wait for its artefact: compiled packages are shared through Go's build cache. */
export const goModules: readonly GoModule[] = [
  { name: 'guard', folder: 'module', needs: [], hasTests: true },
  { name: 'runner', folder: 'sandbox-images/runner', needs: [], hasTests: true },
  { name: 'traefik-ext', folder: 'sandbox-images/traefik/ext', needs: [], hasTests: false },
  { name: 'caddy-guard', folder: 'module/caddy', needs: ['caddy'], hasTests: true },
  { name: 'caddy-main', folder: 'sandbox-images/caddy', needs: ['caddy'], hasTests: false },
];

/** Those of the artefacts, so that a package is compiled once for both. */
export const sharing = { CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-trimpath' };

const vet = ({ name, folder, needs }: GoModule): Task =>
  check({
    name: `vet-${name}`,
    does: `go vet in ${folder}`,
    needs,
    tool: 'go',
    args: ['vet', './...'],
    options: { cwd: join(packageRoot, folder), env: sharing },
    mend: 'mend what is named above',
  });

const test = ({ name, folder, needs }: GoModule): Task => ({
  name: `go-${name}`,
  does: `go test in ${folder}`,
  needs,
  run: (context) => runGoTests(context, join(packageRoot, folder), sharing),
  mend: `run \`go test ./...\` in ${folder}`,
});

export const goParts: readonly Task[] = goModules.flatMap((module) => [
  vet(module),
  ...(module.hasTests ? [test(module)] : []),
]);
