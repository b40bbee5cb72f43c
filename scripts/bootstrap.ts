/** `scripts/bootstrap <job, step or suite>...` runs the missing steps and the requested suites. */
import { join } from 'node:path';
import { packageRoot } from '../platform/assets.ts';
import { exitCodes } from '../platform/errors.ts';
import { jobs, suites, tasks } from './jobs.ts';
import { unreviewedSkips } from './suites/skips.ts';
import { runTasks } from './tasks/run.ts';
import { countsOf, createShow, failureText, skipsText } from './tasks/show.ts';
import { type Outcome, sumOfCounts } from './tasks/task.ts';

const folder = join(packageRoot, '.cache');
const isSuite = (name: string): boolean => suites.some((suite) => suite.name === name);
const print = (text: string): void => void process.stdout.write(text);

/** Returns a signal that the first SIGINT, SIGTERM or SIGHUP aborts. A repeated one ends the process as usual. */
function interruptionSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

/**
 * Prints the skipped tests and the totals. Returns false for an unreviewed skip in CI, where a missing test would go
 * unnoticed.
 */
function printSummary(outcomes: readonly Outcome[]): boolean {
  const { passed, failed, skipped } = sumOfCounts(outcomes.filter(({ task }) => isSuite(task.name)).map(countsOf));
  print(skipsText(skipped));
  const refused = process.env.CI ? unreviewedSkips(skipped) : [];
  if (refused.length > 0) {
    print(`\nskips that scripts/suites/skips.ts does not list are failures in CI:\n${skipsText(refused)}`);
  }
  print(`\n${passed} passed, ${failed} failed, ${skipped.length} skipped\n`);
  return refused.length === 0;
}

/**
 * Prints the failures and, for a run with suites, the skipped tests and on the last line the totals. Returns the exit
 * status.
 */
function printResults(outcomes: readonly Outcome[], isTest: boolean): number {
  const isFailed = ({ state }: Outcome): boolean => state === 'failed' || (state === 'unavailable' && !isTest);
  for (const outcome of outcomes.filter(isFailed)) {
    // Tasks without a time did not start: a task that they need has failed and is printed.
    if (outcome.elapsedMs !== undefined) print(failureText(outcome, folder, process.cwd()));
  }
  const isInterrupted = outcomes.some(({ state }) => state === 'interrupted');
  if (isInterrupted) print('\ninterrupted; the same command continues where it stopped\n');
  const isReviewed = !isTest || printSummary(outcomes);
  if (isInterrupted) return exitCodes.interrupted;
  if (isReviewed && !outcomes.some(isFailed)) return exitCodes.done;
  return isTest ? exitCodes.negative : exitCodes.external;
}

async function main(names: readonly string[]): Promise<number> {
  const known = [...Object.keys(jobs), ...tasks.map((task) => task.name)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined || names.length === 0) {
    process.stderr.write(`there is no job named ${JSON.stringify(unknown ?? '')}; the jobs are ${known.join(', ')}\n`);
    return exitCodes.usage;
  }
  const goals = names.flatMap((name) => jobs[name] ?? [name]);
  const options = { folder, show: createShow(process.stdout), signal: interruptionSignal() };
  const outcomes = await runTasks(tasks, goals, options);
  return printResults(outcomes, goals.some(isSuite));
}

process.exitCode = await main(process.argv.slice(2));
