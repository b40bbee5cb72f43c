/** A task: a step of the set-up or a suite of tests. The tables of tasks are in scripts/steps and scripts/suites. */
import type { CommandOptions } from '../../platform/command.ts';

/** A test, or a whole suite, that did not run. */
export interface Skip {
  readonly name: string;
  readonly reason: string;
}

/** Result of a suite. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skip[];
}

export interface TaskContext {
  readonly signal: AbortSignal;
  /** Appends to the log file of the task. */
  readonly log: (text: string) => void;
  /** One clause about the current activity, for the line on the terminal. */
  readonly say: (note: string) => void;
  /** Prints a permanent line: a change of this machine that the user should know about. */
  readonly announce: (text: string) => void;
  /** Runs a program with its output in the log. Throws ExternalError unless it ends with status 0. */
  readonly command: (tool: string, args: readonly string[], options?: CommandOptions) => Promise<string>;
}

export interface Task {
  /** Short and stable: used in `needs`, on the command line and for the log file. */
  readonly name: string;
  /** Its activity, as a clause such as `installing npm packages`. */
  readonly does: string;
  readonly needs: readonly string[];
  /** Tasks that must end first if they are part of the run, with any outcome: an order without a dependency. */
  readonly after?: readonly string[];
  /** Returns true when there is nothing to do. A task with this check runs in one process at a time. */
  readonly done?: () => boolean | Promise<boolean>;
  /** Suites return counts. */
  readonly run: (context: TaskContext) => Promise<Counts | undefined>;
  /** One line about what to do after a failure. */
  readonly fix: string;
  /** Runs at low priority beside all other tasks, and takes no lane. */
  readonly background?: true;
}

/**
 * Thrown by a task that is impossible on this machine. Tasks that need it are skipped with this reason.
 * The message is a clause.
 */
export class Unavailable extends Error {}

/** `ready`: nothing to do. `blocked` and `skipped`: a dependency failed, or is unavailable. */
export type State = 'ready' | 'done' | 'failed' | 'unavailable' | 'blocked' | 'skipped' | 'interrupted';

export interface Outcome {
  readonly task: Task;
  readonly state: State;
  readonly elapsedMs: number;
  readonly counts?: Counts | undefined;
  /** Why the task is neither ready nor done. */
  readonly reason?: string | undefined;
  /** Instructions for this specific failure, more exact than `fix`. */
  readonly hint?: string | undefined;
}

export const isReached = ({ state }: Outcome): boolean => state === 'ready' || state === 'done';
