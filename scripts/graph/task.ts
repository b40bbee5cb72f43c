/** A task: a step of the set-up or a part of the tests. Tables of tasks are scripts/steps and scripts/parts. */
import type { CommandOptions } from '../../platform/command.ts';

/** What a part of the tests found. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface TaskContext {
  readonly signal: AbortSignal;
  /** Appends to the log file of the task. */
  readonly log: (text: string) => void;
  /** One clause about what is going on now, for the line on the terminal. */
  readonly say: (note: string) => void;
  /** A line that stays: something was changed on this machine that a person should know of. */
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
  /** Those that go first where they are asked for as well, whatever comes of them: they are on a longer way to the end. */
  readonly after?: readonly string[];
  /** True when there is nothing to do. A task that has this is run by one process at a time. */
  readonly done?: () => boolean | Promise<boolean>;
  /** Parts of the tests return counts. */
  readonly run: (context: TaskContext) => Promise<Counts | undefined>;
  /** What a person can do when it fails: one line. */
  readonly mend: string;
  /** Runs at low priority beside everything else, and takes no place in the queue. */
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
  /** What to do in this very case, where that is known better than by `mend`. */
  readonly hint?: string | undefined;
}

export const isReached = ({ state }: Outcome): boolean => state === 'ready' || state === 'done';
