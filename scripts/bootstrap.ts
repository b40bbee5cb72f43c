/** `scripts/bootstrap <job, step or suite>...`: runs the missing steps, and the requested suites. */
import { join } from 'node:path';
import { packageRoot } from '../platform/assets.ts';
import { exitCodes } from '../platform/errors.ts';
import { type Job, jobs } from './jobs.ts';
import { steps } from './steps/index.ts';
import { suites } from './suites/index.ts';
import { unreviewed } from './suites/skips.ts';
import { failureText, skipsText, sum, sumText } from './tasks/report.ts';
import { runTasks } from './tasks/run.ts';
import { showFor } from './tasks/show.ts';
import { isReached, type Outcome, type Skip } from './tasks/task.ts';

const folder = join(packageRoot, '.cache');
const tasks = [...steps, ...suites];
const isSuite = (name: string): boolean => suites.some((suite) => suite.name === name);

function jobNamed(name: string): Job | undefined {
  if (isSuite(name)) return { goals: [name], isTest: true };
  return jobs[name] ?? (steps.some((step) => step.name === name) ? { goals: [name] } : undefined);
}

/** The first signal aborts it; the second one ends the process as usual. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

/** Prints the failures, the skips and, on the last line, the sum. Returns the exit status. */
function finish(outcomes: readonly Outcome[], isTest: boolean): number {
  const print = (text: string): void => void process.stdout.write(text);
  const isFailed = ({ state }: Outcome): boolean => state === 'failed' || (state === 'unavailable' && !isTest);
  for (const outcome of outcomes.filter(isFailed)) print(failureText(outcome, folder, process.cwd()));
  const isInterrupted = outcomes.some(({ state }) => state === 'interrupted');
  if (isInterrupted) print('\ninterrupted; the same command continues where it stopped\n');
  const { refused, line } = isTest ? summarize(outcomes, print) : { refused: [], line: '' };
  print(line);
  if (isInterrupted) return exitCodes.interrupted;
  const isAccepted = (outcome: Outcome): boolean =>
    isReached(outcome) || (isTest && ['skipped', 'unavailable'].includes(outcome.state));
  if (outcomes.every(isAccepted) && refused.length === 0) return exitCodes.done;
  return isTest ? exitCodes.negative : exitCodes.external;
}

/** In CI an unreviewed skip fails the run. Otherwise a missing test would go unnoticed. */
function summarize(outcomes: readonly Outcome[], print: (text: string) => void): { refused: Skip[]; line: string } {
  const counts = sum(outcomes.filter(({ task }) => isSuite(task.name)));
  print(skipsText(counts.skipped));
  const refused = process.env.CI ? unreviewed(counts.skipped) : [];
  if (refused.length > 0) {
    print(`\nskips that scripts/suites/skips.ts does not list are failures in CI:\n${skipsText(refused)}`);
  }
  return { refused, line: `\n${sumText(counts)}\n` };
}

async function main(names: readonly string[]): Promise<number> {
  const wanted = names.map(jobNamed);
  const unknown = names.find((_, index) => !wanted[index]);
  if (unknown !== undefined || names.length === 0) {
    const known = [...Object.keys(jobs), ...tasks.map((task) => task.name)];
    process.stderr.write(`there is no job named ${JSON.stringify(unknown ?? '')}; the jobs are ${known.join(', ')}\n`);
    return exitCodes.usage;
  }
  const goals = new Set((wanted as Job[]).flatMap((job) => job.goals));
  const show = showFor(process.stdout);
  const outcomes = await runTasks(tasks, [...goals], { folder, show, signal: interruption() });
  show.close();
  return finish(
    outcomes,
    (wanted as Job[]).some(({ isTest }) => isTest),
  );
}

process.exitCode = await main(process.argv.slice(2));
