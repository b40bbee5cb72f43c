/** Functions that create the rows of the suite tables. */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import limit from 'p-limit';
import { packageRoot } from '../../platform/assets.ts';
import type { CommandOptions } from '../../platform/command.ts';
import type { Counts, Task, TaskContext } from '../tasks/task.ts';
import { nodeCounts, nodeFailures, summaryCounts } from './counts.ts';

/** Test files of node:test. They run on this machine or, with `through`, elsewhere. */
export interface TestFiles {
  /** Glob patterns below dist/. */
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /**
   * Number of files that run in parallel, each in its own process: 1 unless set. `shared`: the files of a folder share
   * a process and its imports.
   */
  readonly concurrency?: number | 'shared';
  /** A command prefix that runs the command elsewhere, such as in a container. */
  readonly through?: readonly string[];
  /** A folder that comes first in the PATH of the tests. */
  readonly programs?: string;
  /** Environment variables. Another suite runs the same files without them. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface Suite extends Task {
  readonly files?: TestFiles;
}

type Tool = readonly [tool: string, ...args: string[]];

export const nodeProgram = process.execPath;
const inTestImage = join(packageRoot, 'scripts/in-test-image.ts');
/** Time limit of a test. The longest one builds an image on a slow machine. */
const hangMs = 10 * 60 * 1000;

/** Returns a prefix that runs a command in the test image, with these options of scripts/in-test-image.ts. */
export const inImage = (...options: readonly string[]): Tool => [nodeProgram, inTestImage, ...options, '--'];

interface TestProgram extends CommandOptions {
  readonly command: Tool;
  /**
   * Counts the tests in the output. Returns undefined when the program ended before its summary. Without `read`, the
   * program counts as one test that passes with exit status 0.
   */
  readonly read?: (output: string, context: TaskContext) => Counts | undefined;
  /** Keeps the output out of the log. */
  readonly isQuiet?: true;
}

/** Runs a program and counts its tests. A nonzero exit status is accepted when the counts contain a failed test. */
async function runCounted(
  { command: [tool, ...args], read, isQuiet, ...options }: TestProgram,
  context: TaskContext,
): Promise<void> {
  let output = '';
  const onText = (text: string): void => {
    if (!isQuiet) context.log(text);
    output += text;
  };
  const running = context.command(tool, args, { cwd: packageRoot, ...options, onText });
  if (!read) return running.then(() => context.count({ passed: 1, failed: 0, skipped: [] }));
  const failure: unknown = await running.then(() => undefined).catch((error) => error);
  context.signal.throwIfAborted();
  const counts = read(output, context);
  if (failure && !counts?.failed) throw failure;
  if (!counts) throw new Error('the tests ended without a summary');
  context.count(counts);
}

type Row = Pick<Suite, 'after'> & { readonly fix?: string };

export function program(name: string, does: string, needs: readonly string[], options: TestProgram & Row): Suite {
  const { fix = 'fix the problems above', after = [], ...run } = options;
  return { name, does, needs, after, fix, run: (context) => runCounted(run, context) };
}

/** A suite that runs the shell blocks of the documentation that are tested in this way (scripts/pages). */
export const documentation = (
  name: string,
  does: string,
  needs: readonly string[],
  way: string,
  through: readonly string[] = [],
): Suite => {
  const [tool = nodeProgram, ...more] = [...through, nodeProgram, 'scripts/pages/main.ts'];
  return program(name, does, ['native', 'build', ...needs], {
    command: [tool, ...more, '--check', way],
    read: summaryCounts,
    fix: `correct the pages named above, or write the output: \`scripts/node scripts/pages/main.ts ${way}\``,
  });
};

/** Returns the matching paths below dist/. */
export const testFiles = ({ include, exclude = [] }: TestFiles): string[] =>
  globSync(include, { cwd: join(packageRoot, 'dist'), exclude: [...exclude] }).sort();

/** Returns the first two folders of a path, such as `daemon/bans`. */
const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** Returns the arguments of `node --test` for each process that runs a part of the files. */
function runsOf(files: readonly string[], { concurrency = 1 }: TestFiles): string[][] {
  if (concurrency !== 'shared') return [[`--test-concurrency=${concurrency}`, ...files]];
  return [...Map.groupBy(files, folderOf).values()].map((group) => ['--test-isolation=none', ...group]);
}

/** A suite of test files below dist/. */
export const nodeTests = (name: string, does: string, needs: readonly string[], files: TestFiles): Suite => ({
  name,
  does,
  needs: ['native', 'build', ...needs],
  files,
  run: async (context) => {
    const { through = [], programs } = files;
    const path = programs === undefined ? {} : { PATH: `${programs}${delimiter}${process.env.PATH}` };
    const env = { ...path, ...files.env };
    const [tool = nodeProgram, ...more] = [
      ...through,
      nodeProgram,
      '--test',
      `--test-timeout=${hangMs}`,
      '--test-reporter=spec',
    ];
    const failures: string[] = [];
    const read = (output: string): Counts | undefined => {
      const counts = nodeCounts(output);
      if (counts?.failed) failures.push(nodeFailures(output));
      return counts;
    };
    const options = { cwd: join(packageRoot, 'dist'), env, read };
    // One more than the processors, because some tests wait for a process or a timer.
    const inLane = limit(availableParallelism() + 1);
    const found = testFiles(files);
    if (found.length === 0) throw new Error(`dist/ has no ${files.include}`);
    const runs = runsOf(found, files).map((args): TestProgram => ({ command: [tool, ...more, ...args], ...options }));
    await Promise.all(runs.map((run) => inLane(runCounted, run, context)));
    // Parallel runs write to one log, so the failures are repeated at its end.
    if (failures.length > 0 && runs.length > 1) context.log(`\n${failures.join('\n\n')}\n`);
  },
  fix: `run \`node --test\` on the files named above, below dist/; \`scripts/bootstrap ${name}\` repeats the suite`,
});
