/** A task: a step of the set-up or a suite of tests. The tables of tasks are in scripts/steps and scripts/suites. */
import { join } from 'node:path';
import type { CommandOptions } from '../../platform/command.ts';

/** A test, or a whole suite, that did not run. */
export interface Skip {
  readonly name: string;
  readonly reason: string;
}

/** Results of tests. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skip[];
}

export const sum = (all: readonly Counts[]): Counts => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failed: all.reduce((total, { failed }) => total + failed, 0),
  skipped: all.flatMap(({ skipped }) => skipped),
});

export interface TaskContext {
  readonly signal: AbortSignal;
  /** Appends to the log file of the task. A terminal shows the last line. */
  readonly log: (text: string) => void;
  /** Prints a permanent line: a change of this machine that the user should know about. */
  readonly announce: (text: string) => void;
  /** Adds the results of tests. A failed test fails the task. */
  readonly count: (counts: Counts) => void;
  /** Runs a program with its output in the log. Throws ExternalError unless it ends with status 0. */
  readonly command: (tool: string, args: readonly string[], options?: CommandOptions) => Promise<string>;
}

export interface Task {
  /** Short and stable: used in `needs`, on the command line and for the log file. */
  readonly name: string;
  /** Its activity, as a clause such as `installing npm packages`. */
  readonly does: string;
  /** Earlier rows of the table. */
  readonly needs?: readonly string[];
  /** Tasks that must end first if they are part of the run, with any outcome: an order without a dependency. */
  readonly after?: readonly string[];
  /** Returns true when there is nothing to do. A task with this check runs in one process at a time. */
  readonly done?: () => boolean | Promise<boolean>;
  readonly run: (context: TaskContext) => Promise<unknown>;
  /** One line about what to do after a failure. */
  readonly fix: string;
  /** Runs at low priority beside all other tasks, and takes no lane. */
  readonly background?: true;
}

export const logFile = (folder: string, { name }: Task): string => join(folder, 'logs', `${name}.log`);

/** Thrown by a task that is impossible on this machine. The message is a clause. */
export class Unavailable extends Error {}

/** A task whose dependency is not done has the state of that dependency. */
export type State = 'done' | 'failed' | 'unavailable' | 'interrupted';

export interface Outcome {
  readonly task: Task;
  readonly state: State;
  /** Absent: the task did not start, because it was done or a dependency is not. */
  readonly elapsedMs?: number;
  readonly counts?: Counts | undefined;
  /** Why the task is not done. */
  readonly reason?: string | undefined;
  /** Instructions for this specific failure, more exact than `fix`. */
  readonly hint?: string | undefined;
}
