/** Runs tasks: each after what it needs, independent ones side by side, those that are done not at all. */
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
  /** Where logs and locks lie. */
  readonly folder: string;
  readonly show: Show;
  readonly signal: AbortSignal;
  /** How many tasks run at once, those in the background not counted. */
  readonly lanes?: number;
}

type Ending = Omit<Outcome, 'task' | 'elapsedMs'>;

export const logFile = (folder: string, task: Task): string => join(folder, 'logs', `${task.name}.log`);

/** At most `lanes` at once, first come first served; resolves with what frees the lane. */
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
      // The task itself fails on a full disk, with a better message than this.
      if (!isFullDisk(error)) throw error;
    }
  };
  return {
    signal,
    log,
    say: (note) => show.note(task, note),
    tell: (text) => show.told(task, text),
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
    // What an earlier run logged does not explain this.
    rmSync(logFile(folder, task), { force: true });
    throw error;
  }
}

async function attempt(task: Task, options: RunOptions): Promise<Ending> {
  if (await isDone(task, options)) return { state: 'ready' };
  const { folder, show, signal } = options;
  signal.throwIfAborted();
  show.started(task);
  const onWait = (note: string): void => show.told(task, note);
  const release = task.done && (await takeLock(join(folder, 'locks', task.name), { signal, onWait }));
  try {
    // Another process may have done it meanwhile.
    if (await task.done?.()) return { state: 'ready' };
    const context = contextOf(task, options);
    const counts = await task.run(context).catch((error: unknown) => {
      // What failed outside is in the log already; anything else may be a bug of ours.
      const isKnown = error instanceof GuardError || error instanceof Unavailable;
      if (!isKnown) context.log(`\n${error instanceof Error ? error.stack : error}\n`);
      throw error;
    });
    return { state: counts?.failed ? 'failed' : 'done', counts };
  } finally {
    release?.();
  }
}

/** Why a task is not even tried, given how those that it needs ended. */
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

/** Runs the goals and what they need. Never throws for a task that fails: the outcomes say how each one ended. */
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
