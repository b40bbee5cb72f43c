/** A step of the set-up or a suite of tests. */
import { join } from 'node:path';
import type { CommandOptions } from '../../platform/command.ts';

export interface Skip {
  readonly name: string;
  readonly reason: string;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skip[];
}

export const sumOfCounts = (all: readonly Counts[]): Counts => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failed: all.reduce((total, { failed }) => total + failed, 0),
  skipped: all.flatMap(({ skipped }) => skipped),
});

export interface TaskContext {
  readonly signal: AbortSignal;
  /** Appends to the log of the task. A terminal shows the last line. */
  readonly log: (text: string) => void;
  /** Prints a line that stays on the screen, such as about a change to this machine. */
  readonly announce: (text: string) => void;
  /** Adds the results of tests. A failed test fails the task. */
  readonly count: (counts: Counts) => void;
  /** Runs a program and logs its output. @throws ExternalError unless the exit status is 0 */
  readonly command: (tool: string, args: readonly string[], options?: CommandOptions) => Promise<string>;
}

export interface Task {
  /** A short and stable name, for `needs`, the command line and the log file. */
  readonly name: string;
  /** A clause that describes the work, such as `installing npm packages`. */
  readonly does: string;
  /** Names of the tasks that must be done first. They are earlier rows of the table. */
  readonly needs?: readonly string[];
  /** Names of tasks that must end first if they are part of the run. Their outcome does not matter. */
  readonly after?: readonly string[];
  /** Returns true when nothing remains to do. Only one process at a time runs a task that has this check. */
  readonly done?: () => boolean | Promise<boolean>;
  readonly run: (context: TaskContext) => Promise<unknown>;
  /** One line that says what to do after a failure. */
  readonly fix: string;
  /** Runs at low priority beside all other tasks, and does not occupy a lane. */
  readonly background?: true;
}

export const logFile = (folder: string, { name }: Task): string => join(folder, 'logs', `${name}.log`);

/** Thrown by a task that cannot run on this machine. The message is a clause. */
export class Unavailable extends Error {}

/** The result of a task. A task whose dependency is not done has the state of that dependency. */
export type State = 'done' | 'failed' | 'unavailable' | 'interrupted';

export interface Outcome {
  readonly task: Task;
  readonly state: State;
  /** Milliseconds. Absent when the task did not start, or was already done. */
  readonly elapsedMs?: number;
  readonly counts?: Counts | undefined;
  readonly reason?: string | undefined;
  /** Instructions for this failure, more specific than `fix`. */
  readonly hint?: string | undefined;
}
