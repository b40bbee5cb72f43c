/** Builders for rows of the table of suites. */
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import type { CommandOptions } from '../../platform/command.ts';
import type { Counts, Task, TaskContext } from '../tasks/task.ts';
import { runNodeTests, type TestFiles } from './node-tests.ts';

/** `check`: needs only npm packages. `test`: required for each change. `full`: all remaining suites. */
export type Tier = 'check' | 'test' | 'full';

export interface Suite extends Task {
  readonly tier: Tier;
  /** The node:test files that it runs. */
  readonly files?: TestFiles;
}

type Row = Omit<Suite, 'run' | 'needs' | 'files'> & { readonly needs?: readonly string[] };
type Tool = readonly [tool: string, ...args: string[]];

export const node = process.execPath;

/** Runs a command in the test image with these options of scripts/in-test-image.ts. */
export const inImage = (...options: readonly string[]): Tool => [
  node,
  join(packageRoot, 'scripts/in-test-image.ts'),
  ...options,
  '--',
];

/** A check without counts: it counts as one test, which passes when the program ends with 0. */
export const program = (row: Row & { readonly command: Tool; readonly options?: CommandOptions }): Suite => {
  const { command: wanted, options, ...suite } = row;
  const [tool, ...args] = wanted;
  return counted({
    ...suite,
    run: async ({ command }) => {
      await command(tool, args, { cwd: packageRoot, ...options });
      return { passed: 1, failed: 0, skipped: [] };
    },
  });
};

export const counted = (row: Row & { readonly run: (context: TaskContext) => Promise<Counts> }): Suite => ({
  needs: [],
  ...row,
});

/** Test files below dist/. */
export const nodeTests = (row: Omit<Row, 'fix'> & { readonly files: TestFiles }): Suite => {
  const { files, needs = [], ...suite } = row;
  return {
    ...suite,
    files,
    needs: ['native', 'build', ...needs],
    run: (context) => runNodeTests(context, files),
    fix: `run \`node --test\` on the files named above, below dist/; \`scripts/bootstrap ${row.name}\` repeats the suite`,
  };
};
