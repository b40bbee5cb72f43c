/**
 * Checks workflows with actionlint. It does not read action.yml, so the steps of the action become a workflow with the
 * same inputs.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parse, stringify } from 'yaml';
import { ciFiles } from '../cli/policy/init/ci.ts';
import { packageRoot } from '../platform/assets.ts';
import { scratchFolder } from '../platform/scratch-folder.ts';

const tool = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly runs: { readonly steps: readonly object[] };
}

function workflowOf(action: string): string {
  const { inputs, runs } = parse(action) as Action;
  const typed = Object.entries(inputs).map(([name, input]) => [name, { ...input, type: 'string' }]);
  return stringify({
    name: 'action.yml',
    on: { workflow_call: { inputs: Object.fromEntries(typed) } },
    jobs: { action: { 'runs-on': 'ubuntu-24.04', steps: runs.steps } },
  });
}

function main(): number {
  const folder = scratchFolder('guard-actionlint-');
  const written = [
    { file: join(folder, 'action.yml'), text: workflowOf(readFileSync(join(packageRoot, 'action.yml'), 'utf8')) },
    { file: join(folder, 'guard.yml'), text: ciFiles.github.text(['caddy']) },
  ];
  for (const { file, text } of written) writeFileSync(file, text);
  const workflows = globSync(['.github/workflows/*.yml', 'examples/ci/github.yml'], { cwd: packageRoot });
  const args = ['run', tool, '-no-color', ...workflows, ...written.map(({ file }) => file)];
  return spawnSync('go', args, { cwd: packageRoot, stdio: 'inherit' }).status ?? 1;
}

if (import.meta.main) process.exitCode = main();
