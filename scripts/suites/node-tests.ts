/** Runs test files of node:test on this machine or in the test image, and counts the tests. */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { GuardError } from '../../platform/errors.ts';
import type { Counts, TaskContext } from '../tasks/task.ts';
import { readCounts } from './reporter.ts';

/** Time limit of a test. The longest one builds an image on a slow machine. */
const hangMs = 10 * 60 * 1000;
/** Output limit of a run. */
const keptCharacters = 1 << 20;

export interface TestFiles {
  /** Glob patterns below dist/. */
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /**
   * Number of files that run in parallel, each in its own process. `shared`: the files of a folder share a process and
   * its imports.
   */
  readonly concurrency: number | 'shared';
  /** A command prefix that runs the command elsewhere. */
  readonly through?: readonly string[];
  /** A folder that comes first in the PATH of the tests. */
  readonly programs?: string;
}

const reporters = [
  ...['--test-reporter=spec', '--test-reporter-destination=stderr'],
  ...[`--test-reporter=${join(packageRoot, 'scripts/suites/reporter.ts')}`, '--test-reporter-destination=stdout'],
];

/** One run of `node --test`. A failing test ends it with status 1 and is in its counts. */
async function run(args: readonly string[], wanted: TestFiles, context: TaskContext): Promise<Counts> {
  const { through = [], programs } = wanted;
  const env = programs === undefined ? {} : { PATH: `${programs}${delimiter}${process.env.PATH}` };
  const [tool, ...more] = [...through, process.execPath, '--test', `--test-timeout=${hangMs}`, ...reporters, ...args];
  let output = '';
  const onText = (text: string): void => {
    context.log(text);
    output = (output + text).slice(-keptCharacters);
  };
  const ended = await context
    .command(tool as string, more, { cwd: join(packageRoot, 'dist'), env, onText })
    .catch((error: unknown) => error);
  context.signal.throwIfAborted();
  const counts = readCounts(output);
  if (counts && (counts.failed > 0 || !(ended instanceof Error))) return counts;
  throw ended instanceof GuardError ? ended : new Error('the tests ended without a summary');
}

/** `daemon/bans` for all files below it. */
const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** Each group of files is one run. */
function runsOf(files: readonly string[], { concurrency }: TestFiles): string[][] {
  if (concurrency !== 'shared') return [[`--test-concurrency=${concurrency}`, ...files]];
  return [...Map.groupBy(files, folderOf).values()].map((group) => ['--test-isolation=none', ...group]);
}

/** Paths below dist/. */
export const testFiles = ({ include, exclude = [] }: TestFiles): string[] =>
  globSync(include, { cwd: join(packageRoot, 'dist'), exclude: [...exclude] }).sort();

/** Counts all tests in the files. The log contains the reports. */
export async function runNodeTests(context: TaskContext, wanted: TestFiles): Promise<Counts> {
  const files = testFiles(wanted);
  if (files.length === 0) throw new Error(`dist/ has no ${wanted.include}`);
  const runs = runsOf(files, wanted).values();
  const total = { passed: 0, failed: 0, skipped: [] as Counts['skipped'] };
  const lane = async (): Promise<void> => {
    for (const args of runs) {
      const counts = await run(args, wanted, context);
      total.passed += counts.passed;
      total.failed += counts.failed;
      total.skipped = [...total.skipped, ...counts.skipped];
    }
  };
  // One more than the processors, because some tests wait for a process or a timer.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, lane));
  return total;
}
