/** Suites of our Go modules: format, go vet, and tests. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import type { Counts, TaskContext } from '../tasks/task.ts';
import { tally } from './go-events.ts';
import { counted, program, type Suite } from './suite.ts';

interface GoModule {
  readonly name: string;
  readonly folder: string;
  readonly needs: readonly string[];
  readonly hasTests: boolean;
  /** Absent: `test`. */
  readonly tier?: 'full';
}

/** Modules that import Caddy wait for its artefact, because Go's build cache shares the compiled packages. */
export const goModules: readonly GoModule[] = [
  { name: 'guard', folder: 'module', needs: [], hasTests: true },
  { name: 'runner', folder: 'sandbox-images/runner', needs: [], hasTests: true },
  { name: 'traefik-ext', folder: 'sandbox-images/traefik/ext', needs: [], hasTests: false },
  { name: 'caddy-guard', folder: 'module/caddy', needs: ['caddy'], hasTests: true },
  { name: 'collector', folder: 'sandbox-images/collector', needs: ['collector'], hasTests: false, tier: 'full' },
  { name: 'caddy-main', folder: 'sandbox-images/caddy', needs: ['caddy'], hasTests: false },
];

/** Build flags of the artefacts, so that each package is compiled once for both. */
export const sharing = { CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-trimpath' };

const format = counted({
  name: 'gofmt',
  tier: 'test',
  does: 'checking the format of Go sources',
  needs: ['go'],
  run: async (context) => {
    const files = globSync(
      goModules.map(({ folder }) => `${folder}/**/*.go`),
      { cwd: packageRoot },
    );
    const unformatted = await context.command('gofmt', ['-l', ...files], { cwd: packageRoot });
    if (unformatted !== '') throw new Error('files are not formatted');
    return { passed: 1, failed: 0, skipped: [] };
  },
  fix: 'run `gofmt -w` on the files named above',
});

const vet = ({ name, folder, needs, tier }: GoModule): Suite =>
  program({
    name: `vet-${name}`,
    tier: tier ?? 'test',
    does: `go vet in ${folder}`,
    needs: ['go', ...needs],
    command: ['go', 'vet', './...'],
    options: { cwd: join(packageRoot, folder), env: sharing },
    fix: 'fix the problems above',
  });

/** Returns test counts. The log contains the output of failed tests. */
async function runGoTests({ signal, log }: TaskContext, cwd: string): Promise<Counts> {
  let stream = '';
  const onText = (text: string): void => {
    stream += text;
  };
  // A failing test ends `go` with status 1. The stream contains the details.
  const options = { cwd, env: sharing, signal, onText };
  const failure = await command('go', ['test', '-json', './...'], options).catch((error) => error);
  signal.throwIfAborted();
  const { counts, output } = tally(stream.split('\n'));
  log(output);
  if (failure instanceof Error && counts.failed === 0) throw failure;
  return counts;
}

const test = ({ name, folder, needs }: GoModule): Suite =>
  counted({
    name: `go-${name}`,
    tier: 'test',
    does: `go test in ${folder}`,
    needs: ['go', ...needs],
    run: (context) => runGoTests(context, join(packageRoot, folder)),
    fix: `run \`go test ./...\` in ${folder}`,
  });

export const goSuites: readonly Suite[] = [
  format,
  ...goModules.map(vet),
  ...goModules.filter(({ hasTests }) => hasTests).map(test),
];
