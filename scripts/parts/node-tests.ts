/** Runs test files and counts them from the runner's own events. */
import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { packageRoot } from '../../platform/assets.ts';
import type { Counts, TaskContext } from '../graph/task.ts';

/** A test that takes this long hangs; the longest builds an image on a slow machine. */
const hangMs = 10 * 60 * 1000;

export interface TestFiles {
  /** From the root of the package; absent: dist/, what was compiled. */
  readonly folder?: string;
  /** Pattern below the folder. */
  readonly include: string;
  readonly exclude?: readonly string[];
  /** How many files run at once; true: as many as there are processors. */
  readonly concurrency: number | true;
}

/** Counts of all tests in the files; the log gets the report, failures last. */
export async function runNodeTests({ signal, log }: TaskContext, wanted: TestFiles): Promise<Counts> {
  const cwd = `${packageRoot}/${wanted.folder ?? 'dist'}`;
  const files = globSync(wanted.include, { cwd, exclude: wanted.exclude ?? [] });
  if (files.length === 0) throw new Error(`${cwd} has no ${wanted.include}`);
  const stream = run({ files, cwd, concurrency: wanted.concurrency, timeout: hangMs, signal });
  let counts: Counts | undefined;
  stream.on('test:summary', (summary) => {
    // @types/node 26.6 does not know this count yet.
    const { passed, failed, cancelled, skipped, todo } = summary.counts as typeof summary.counts & { failed: number };
    if (summary.file === undefined) counts = { passed, failed: failed + cancelled, skipped: skipped + todo };
  });
  for await (const text of stream.compose(new spec())) log(String(text));
  signal.throwIfAborted();
  if (!counts) throw new Error('the test runner ended without a summary');
  return counts;
}
