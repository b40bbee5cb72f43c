/** What the sources must satisfy before any of them is run. */
import { globSync } from 'node:fs';
import { packageRoot } from '../../platform/assets.ts';
import type { Task } from '../graph/task.ts';
import { check, one } from './checked.ts';
import { goModules } from './go-modules.ts';

const node = process.execPath;

const goFormat: Task = {
  name: 'gofmt',
  does: 'checking the format of Go sources',
  needs: [],
  run: async ({ command }) => {
    const files = globSync(
      goModules.map(({ folder }) => `${folder}/**/*.go`),
      { cwd: packageRoot },
    );
    const unformatted = await command('gofmt', ['-l', ...files], { cwd: packageRoot });
    if (unformatted !== '') throw new Error('files are not formatted');
    return one;
  },
  mend: 'run `gofmt -w` on the files named above',
};

export const sourceParts: readonly Task[] = [
  check({
    name: 'types',
    does: 'checking types',
    needs: ['packages'],
    tool: node,
    args: ['node_modules/typescript/bin/tsc', '--noEmit'],
    mend: 'mend the types named above',
  }),
  check({
    name: 'lint',
    does: 'checking format, lint and borders',
    needs: ['packages'],
    tool: node,
    args: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '--error-on-warnings', '.'],
    mend: 'run `npx biome check --write .`; what it leaves is for you',
  }),
  check({
    name: 'generated',
    does: 'comparing generated files with their source',
    needs: ['packages'],
    tool: node,
    args: ['contract/generate/main.ts', '--check'],
    mend: 'run `npm run generate` and commit what it writes',
  }),
  check({
    name: 'samples',
    does: 'comparing samples of the documentation with what the commands print',
    needs: ['native'],
    tool: node,
    args: ['scripts/samples.ts', '--check'],
    mend: 'run `npm run generate` and commit what it writes',
  }),
  goFormat,
];
