/** A task: a step of the set-up or a suite of tests. Tables of tasks are scripts/steps and scripts/suites. */
import type { CommandOptions } from '../../platform/command.ts';

/** A test, or a whole suite, that did not run. */
export interface Skip {
  readonly name: string;
  readonly reason: string;
}

/** What a suite found. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skip[];
}

export interface TaskContext {
  readonly signal: AbortSignal;
  /** Appends to the log file of the task. */
  readonly log: (text: string) => void;
  /** One clause about what is going on now, for the line on the terminal. */
  readonly say: (note: string) => void;
  /** A line that stays: something changed on this machine that the user should know of. */
  readonly tell: (text: string) => void;
  /** Runs a program with its output in the log; throws ExternalError unless it ends with 0. */
  readonly command: (tool: string, args: readonly string[], options?: CommandOptions) => Promise<string>;
}

export interface Task {
  /** Short and stable: used in `needs`, on the command line and for the log file. */
  readonly name: string;
  /** What it does, as a clause such as `installing npm packages`. */
  readonly does: string;
  readonly needs: readonly string[];
  /** Tasks that end first where they run as well, whatever their outcome: order without a dependency. */
  readonly after?: readonly string[];
  /** True when there is nothing to do. A task that has this is run by one process at a time. */
  readonly done?: () => boolean | Promise<boolean>;
  /** Suites return counts. */
  readonly run: (context: TaskContext) => Promise<Counts | undefined>;
  /** What to do when it fails: one line. */
  readonly fix: string;
  /** Runs at low priority beside everything else, and takes no lane. */
  readonly background?: true;
}

/**
 * Thrown by a task that cannot be done on this machine, whatever is tried: what needs it is skipped with this reason.
 * The message is a clause.
 */
export class Unavailable extends Error {}

/** `ready`: nothing to do. `blocked` and `skipped`: something it needs failed, or is unavailable. */
export type State = 'ready' | 'done' | 'failed' | 'unavailable' | 'blocked' | 'skipped' | 'interrupted';

export interface Outcome {
  readonly task: Task;
  readonly state: State;
  readonly elapsedMs: number;
  readonly counts?: Counts | undefined;
  /** Why it is neither ready nor done. */
  readonly reason?: string | undefined;
  /** What to do in this very case, where that is more exact than `fix`. */
  readonly hint?: string | undefined;
}

export const isReached = ({ state }: Outcome): boolean => state === 'ready' || state === 'done';
