/** The task runner: runs each task after its dependencies, independent tasks in parallel, and skips finished ones. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheFolder, isFullDisk } from '../../platform/cache.ts';
import { command } from '../../platform/command.ts';
import { GuardError } from '../../platform/errors.ts';
import { takeLock } from '../../platform/lock.ts';
import { order } from './order.ts';
import type { Show } from './show.ts';
import { isReached, type Outcome, type State, type Task, type TaskContext, Unavailable } from './task.ts';

export interface RunOptions {
  /** Folder for logs and locks. */
  readonly folder: string;
  readonly show: Show;
  readonly signal: AbortSignal;
  /** Number of parallel tasks, without background tasks. */
  readonly lanes?: number;
}

type Ending = Omit<Outcome, 'task' | 'elapsedMs'>;

export const logFile = (folder: string, task: Task): string => join(folder, 'logs', `${task.name}.log`);

/** Limits parallel work to `lanes`, in first-come order. Resolves with the function that releases the lane. */
function createLanes(lanes: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = lanes;
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return leave;
  };
}

function contextOf(task: Task, { folder, show, signal }: RunOptions): TaskContext {
  const file = logFile(folder, task);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  const log = (text: string): void => {
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
    say: (note) => show.note(task, note),
    announce: (text) => show.announce(task, text),
    command: (tool, args, options) => {
      log(`$ ${[tool, ...args].join(' ')}\n`);
      return command(tool, args, { signal, onText: log, background: task.background === true, ...options });
    },
  };
}

function failure(error: unknown, { signal, folder }: RunOptions): Ending {
  if (signal.aborted) return { state: 'interrupted' };
  const reason = error instanceof Error ? error.message : String(error);
  const state = error instanceof Unavailable ? 'unavailable' : 'failed';
  if (isFullDisk(error)) {
    return { state, reason: `the disk is full: ${reason}`, hint: `free space for ${cacheFolder()} or ${folder}` };
  }
  return { state, reason, hint: error instanceof GuardError ? error.hint : undefined };
}

async function isDone(task: Task, { folder }: RunOptions): Promise<boolean | undefined> {
  try {
    return await task.done?.();
  } catch (error) {
    // Removes the log of an earlier run.
    rmSync(logFile(folder, task), { force: true });
    throw error;
  }
}

async function attempt(task: Task, options: RunOptions): Promise<Ending> {
  if (await isDone(task, options)) return { state: 'ready' };
  const { folder, show, signal } = options;
  signal.throwIfAborted();
  show.started(task);
  const onWait = (note: string): void => show.announce(task, note);
  const release = task.done && (await takeLock(join(folder, 'locks', task.name), { signal, onWait }));
  try {
    // Another process may have finished the task in the meantime.
    if (await task.done?.()) return { state: 'ready' };
    const context = contextOf(task, options);
    const counts = await task.run(context).catch((error: unknown) => {
      // The log already contains failures of external programs. Other errors may be bugs, so log the stack.
      const isKnown = error instanceof GuardError || error instanceof Unavailable;
      if (!isKnown) context.log(`\n${error instanceof Error ? error.stack : error}\n`);
      throw error;
    });
    return { state: counts?.failed ? 'failed' : 'done', counts };
  } finally {
    release?.();
  }
}

/** Why a task cannot start, given the outcomes of its dependencies. */
function hindrance(needs: readonly Outcome[]): Pick<Outcome, 'state' | 'reason'> | undefined {
  const missing = needs.find((need) => !isReached(need));
  if (!missing) return undefined;
  const states: Partial<Record<State, State>> = {
    unavailable: 'skipped',
    skipped: 'skipped',
    interrupted: 'interrupted',
  };
  const state = states[missing.state] ?? 'blocked';
  return { state, reason: state === 'skipped' ? missing.reason : `it needs ${missing.task.name}` };
}

/** Runs the goals and their dependencies. Never throws for a failed task: the outcomes report it. */
export async function runTasks(
  tasks: readonly Task[],
  goals: readonly string[],
  options: RunOptions,
): Promise<Outcome[]> {
  const enter = createLanes(options.lanes ?? Math.max(2, availableParallelism()));
  const outcomes = new Map<string, Promise<Outcome>>();

  async function perform(task: Task): Promise<Outcome> {
    await Promise.all((task.after ?? []).map((name) => outcomes.get(name)));
    const needs = await Promise.all(task.needs.map((name) => outcomes.get(name) as Promise<Outcome>));
    const leave = task.background ? undefined : await enter();
    const start = performance.now();
    const ended = hindrance(needs) ?? (await attempt(task, options).catch((error) => failure(error, options)));
    leave?.();
    const outcome = { task, elapsedMs: performance.now() - start, ...ended };
    options.show.ended(outcome);
    return outcome;
  }

  for (const task of order(tasks, goals)) outcomes.set(task.name, perform(task));
  return Promise.all(outcomes.values());
}
