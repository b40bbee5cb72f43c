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
  /** Prints a permanent line about a change to this machine. */
  readonly announce: (text: string) => void;
  /** A failed test fails the task. */
  readonly count: (counts: Counts) => void;
  /** Logs the output. @throws ExternalError unless the exit status is 0 */
  readonly command: (tool: string, args: readonly string[], options?: CommandOptions) => Promise<string>;
}

export interface Task {
  /** Short and stable, for `needs`, the command line and the log file. */
  readonly name: string;
  /** A clause, such as `installing npm packages`. */
  readonly does: string;
  /** Earlier rows of the table, which must be done first. */
  readonly needs?: readonly string[];
  /** These must end first, with any outcome, if they are part of the run. */
  readonly after?: readonly string[];
  /** Whether nothing remains to do. Only one process at a time runs a task with this check. */
  readonly done?: () => boolean | Promise<boolean>;
  readonly run: (context: TaskContext) => Promise<unknown>;
  /** The action after a failure, in one line. */
  readonly fix: string;
  /** At low priority, outside of the lanes. */
  readonly background?: true;
}

export const logFile = (folder: string, { name }: Task): string => join(folder, 'logs', `${name}.log`);

/** The task cannot run on this machine. The message is a clause. */
export class Unavailable extends Error {}

/** A task whose dependency is not done has its state. */
export type State = 'done' | 'failed' | 'unavailable' | 'interrupted';

export interface Outcome {
  readonly task: Task;
  readonly state: State;
  /** Milliseconds. Absent: the task did not start. */
  readonly elapsedMs?: number;
  readonly counts?: Counts | undefined;
  readonly reason?: string | undefined;
  /** More specific than `fix`. */
  readonly hint?: string | undefined;
}
