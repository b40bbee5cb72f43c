/** Checkout, environment and shell of a CI job. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { packageRoot } from '../../../platform/assets.ts';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import { collectOutput } from '../../../platform/testing/child.ts';
import { mirrorRe2, mirrorVariables } from '../../install/clean-machine.ts';
import { freeRow } from '../../support/port-row.ts';

export type Environment = Readonly<Record<string, string>>;

export interface Ran {
  readonly status: number;
  /** Standard output and standard error, in the order of arrival. */
  readonly log: string;
}

export interface Workspace {
  readonly folder: string;
  /** Variables that override those of the CI file. */
  readonly variables: Environment;
  /** @param shell the command with which the CI service starts the shell */
  readonly run: (shell: readonly string[], script: string, variables: Environment) => Promise<Ran>;
  /** Returns the contents of matching files by name. */
  readonly read: (pattern: string) => Record<string, string>;
}

/** Writes a policy and its cases. With `isWrong`, the last case fails. */
function checkOut(folder: string, isWrong: boolean): void {
  const policy = JSON.parse(readFileSync(join(packageRoot, 'examples/guard.json'), 'utf8')) as object;
  const tcp = { services: { echo: { listen: ':7', upstream: 'localhost:8007' } } };
  writeFileSync(join(folder, 'guard.json'), JSON.stringify({ ...policy, tcp }));
  copyFileSync(join(packageRoot, 'examples/cases.yaml'), join(folder, 'cases.yaml'));
  const wrong = '\n  - name: wrong\n    request: { path: /.env }\n    expect: { verdict: allowed }\n';
  if (isWrong) writeFileSync(join(folder, 'cases.yaml'), wrong, { flag: 'a' });
}

export async function createWorkspace(t: TestContext, { isWrong = false } = {}): Promise<Workspace> {
  const [folder, outside] = [scratchFolder('guard-ci-'), scratchFolder('guard-ci-')];
  checkOut(folder, isWrong);
  const path = [join(outside, 'npm/bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  const base = {
    ...process.env,
    PATH: path,
    npm_config_prefix: join(outside, 'npm'),
    RUNNER_TEMP: outside,
    GITHUB_ACTION_PATH: packageRoot,
    ...mirrorVariables(mirrorRe2(join(outside, 're2'))),
  };
  return {
    folder,
    variables: { GUARD_PACKAGE: packageRoot, GUARD_PORT: String(await freeRow()) },
    read: (pattern) =>
      Object.fromEntries(
        globSync(pattern, { cwd: folder }).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
      ),
    run: async ([program = 'sh', ...args], script, variables) => {
      const file = join(outside, 'script');
      writeFileSync(file, script);
      const child = spawn(program, [...args, file], { cwd: folder, env: { ...base, ...variables } });
      t.after(() => child.kill('SIGKILL'));
      const log = collectOutput(child);
      const [status] = await once(child, 'close');
      return { status: typeof status === 'number' ? status : 1, log: log() };
    },
  };
}
