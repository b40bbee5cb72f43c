/** Runs each task after its dependencies, independent tasks in parallel, and skips finished ones. */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import limit from 'p-limit';
import { cacheFolder, isFullDisk } from '../../platform/cache.ts';
import { command } from '../../platform/command.ts';
import { GuardError } from '../../platform/errors.ts';
import { acquireLock } from '../../platform/lock.ts';
import type { Show } from './show.ts';
import { type Counts, logFile, type Outcome, sumOfCounts, type Task, type TaskContext, Unavailable } from './task.ts';

export interface RunOptions {
  /** Folder for logs and locks. */
  readonly folder: string;
  readonly show: Show;
  readonly signal: AbortSignal;
  /** Maximum number of parallel tasks, without background tasks. */
  readonly lanes?: number;
}

/** Returns the goals and their dependencies, in the order of the table. */
export function neededTasks(tasks: readonly Task[], goals: readonly string[]): Task[] {
  const names = new Set(goals);
  for (const { name, needs = [] } of tasks.toReversed()) if (names.has(name)) for (const need of needs) names.add(need);
  return tasks.filter(({ name }) => names.has(name));
}

function contextOf(task: Task, { folder, show, signal }: RunOptions, counts: Counts[]): TaskContext {
  const file = logFile(folder, task);
  mkdirSync(dirname(file), { recursive: true });
  const log = (text: string): void => {
    show.note(task, text);
    try {
      appendFileSync(file, text);
    } catch (error) {
      // If the disk is full, the task itself fails with a better message.
      if (!isFullDisk(error)) throw error;
    }
  };
  return {
    signal,
    log,
    announce: (text) => show.announce(task, text),
    count: (more) => counts.push(more),
    command: (tool, args, options) => {
      log(`$ ${[tool, ...args].join(' ')}\n`);
      return command(tool, args, { signal, onText: log, background: task.background === true, ...options });
    },
  };
}

type Ending = Pick<Outcome, 'state' | 'counts' | 'reason' | 'hint'>;

function failureOf(error: unknown, { signal, folder }: RunOptions): Ending {
  if (signal.aborted) return { state: 'interrupted' };
  const reason = error instanceof Error ? error.message : String(error);
  const state = error instanceof Unavailable ? 'unavailable' : 'failed';
  if (isFullDisk(error)) {
    return { state, reason: `the disk is full: ${reason}`, hint: `free space for ${cacheFolder()} or ${folder}` };
  }
  return { state, reason, hint: error instanceof GuardError ? error.hint : undefined };
}

async function runLocked(task: Task, options: RunOptions): Promise<Ending> {
  const { folder, show, signal } = options;
  const onWait = (note: string): void => show.announce(task, note);
  const release = task.done && (await acquireLock(join(folder, 'locks', task.name), { signal, onWait }));
  try {
    // Another process may have finished the task.
    if (await task.done?.()) return { state: 'done' };
    const all: Counts[] = [];
    const context = contextOf(task, options, all);
    await task.run(context).catch((error: unknown) => {
      // The message of an expected error suffices. Other errors may be bugs, so their stack is logged.
      const isKnown = error instanceof GuardError || error instanceof Unavailable;
      if (!isKnown) context.log(`\n${error instanceof Error ? error.stack : error}\n`);
      throw error;
    });
    if (all.length === 0) return { state: 'done' };
    const counts = sumOfCounts(all);
    return { state: counts.failed > 0 ? 'failed' : 'done', counts };
  } finally {
    release?.();
  }
}

async function runTask(task: Task, needs: readonly Outcome[], options: RunOptions): Promise<Outcome> {
  const missing = needs.find(({ state }) => state !== 'done');
  if (missing) {
    const reason = missing.state === 'unavailable' ? missing.reason : `it needs ${missing.task.name}`;
    return { task, state: missing.state, reason };
  }
  const start = performance.now();
  try {
    options.signal.throwIfAborted();
    rmSync(logFile(options.folder, task), { force: true }); // removes the log of an earlier run
    if (await task.done?.()) return { task, state: 'done' };
    options.show.started(task);
    const ending = await runLocked(task, options);
    return { task, elapsedMs: performance.now() - start, ...ending };
  } catch (error) {
    return { task, elapsedMs: performance.now() - start, ...failureOf(error, options) };
  }
}

/**
 * Runs the goals and their dependencies. A failed task does not reject: the outcomes report it. @throws Error when a
 * task is not after its dependencies in the table
 */
export function runTasks(tasks: readonly Task[], goals: readonly string[], options: RunOptions): Promise<Outcome[]> {
  const inLane = limit(options.lanes ?? Math.max(2, availableParallelism()));
  const outcomes = new Map<string, Promise<Outcome>>();

  async function outcomeOf(task: Task): Promise<Outcome> {
    await Promise.all((task.after ?? []).map((name) => outcomes.get(name)));
    const needs = await Promise.all((task.needs ?? []).map((name) => outcomes.get(name) as Promise<Outcome>));
    const work = (): Promise<Outcome> => runTask(task, needs, options);
    const outcome = await (task.background ? work() : inLane(work));
    options.show.ended(outcome);
    return outcome;
  }

  for (const task of neededTasks(tasks, goals)) outcomes.set(task.name, outcomeOf(task));
  return Promise.all(outcomes.values());
}
