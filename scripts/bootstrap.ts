/** `scripts/bootstrap <job, step or part>`: does what is not done yet, and the parts of the tests that were asked for. */
import { join } from 'node:path';
import { packageRoot } from '../platform/assets.ts';
import { exitCodes } from '../platform/errors.ts';
import { failureText, sum, sumText } from './graph/report.ts';
import { runTasks } from './graph/run.ts';
import { showFor } from './graph/show.ts';
import { isReached, type Outcome } from './graph/task.ts';
import { type Job, jobs } from './jobs.ts';
import { parts } from './parts/index.ts';
import { steps } from './steps/index.ts';

const folder = join(packageRoot, '.cache');
const tasks = [...steps, ...parts];

function jobNamed(name: string): Job | undefined {
  if (parts.some((part) => part.name === name)) return { goals: [name], isTest: true };
  return jobs[name] ?? (steps.some((step) => step.name === name) ? { goals: [name] } : undefined);
}

/** Aborted by the first signal; the second one ends the process as usual. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

/** In CI a part that could not be run is a failure: nobody would see that it is missing. */
function exitCode(outcomes: readonly Outcome[], { isTest }: Job): number {
  if (outcomes.some(({ state }) => state === 'interrupted')) return exitCodes.interrupted;
  const isAccepted = (outcome: Outcome): boolean =>
    isReached(outcome) || (isTest === true && !process.env.CI && ['skipped', 'unavailable'].includes(outcome.state));
  if (outcomes.every(isAccepted)) return exitCodes.done;
  return isTest ? exitCodes.negative : exitCodes.external;
}

function printEnd(outcomes: readonly Outcome[], job: Job): void {
  const failed = outcomes.filter(({ state }) => state === 'failed' || (state === 'unavailable' && !job.isTest));
  for (const outcome of failed) process.stdout.write(failureText(outcome, folder, process.cwd()));
  if (outcomes.some(({ state }) => state === 'interrupted')) {
    process.stdout.write('\ninterrupted; the same command goes on where it stopped\n');
  }
  if (!job.isTest) return;
  if (process.env.CI && outcomes.some(({ state }) => state === 'skipped')) {
    process.stdout.write('\nin CI (the variable CI is set) a part that is skipped is a failure\n');
  }
  const names = new Set(parts.map(({ name }) => name));
  process.stdout.write(`\n${sumText(sum(outcomes.filter(({ task }) => names.has(task.name))))}\n`);
}

async function main(name: string): Promise<number> {
  const job = jobNamed(name);
  if (!job) {
    const known = [...Object.keys(jobs), ...tasks.map((task) => task.name)];
    process.stderr.write(`no job is called ${JSON.stringify(name)}; there are ${known.join(', ')}\n`);
    return exitCodes.usage;
  }
  const show = showFor(process.stdout);
  const outcomes = await runTasks(tasks, job.goals, { folder, show, signal: interruption() });
  show.close();
  printEnd(outcomes, job);
  return exitCode(outcomes, job);
}

process.exitCode = await main(process.argv[2] ?? '');
