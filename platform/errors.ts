/** Errors with a meaning for the user, and the exit statuses. Anything else that is thrown is a bug of ours. */

/** 0 done; 1 the answer is no; 2 usage; 3 a tool or engine outside failed (or we did); 130 interrupted. */
export const exitCodes = { done: 0, negative: 1, usage: 2, external: 3, interrupted: 130 } as const;

export interface ErrorDetails {
  /** Stable word for scripts, such as `unknown_option`. */
  readonly code: string;
  /** What to do, as a lower-case clause. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Base of all errors that are not bugs. The message is a lower-case clause that may hold hostile text: print escaped. */
export abstract class GuardError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  abstract readonly exitCode: number;

  constructor(message: string, details: ErrorDetails) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.name = new.target.name;
    this.code = details.code;
    this.hint = details.hint;
  }
}

/** The command line, or a file it names, cannot be used as given. */
export class UsageError extends GuardError {
  readonly exitCode = exitCodes.usage;
}

export interface FailedTool {
  /** The program or engine, such as `docker` or `go`. */
  readonly tool: string;
  readonly args?: readonly string[];
  /** The last lines of what it said. */
  readonly output?: string;
}

/** A tool or engine outside failed, or is not there. */
export class ExternalError extends GuardError {
  readonly exitCode = exitCodes.external;
  readonly failed: FailedTool;

  constructor(message: string, details: ErrorDetails & { readonly failed: FailedTool }) {
    super(message, details);
    this.failed = details.failed;
  }
}

/**
 * What was started could not be removed, or what was changed could not be verified: reported even where an interruption
 * ended the command.
 */
export class CleanupError extends ExternalError {}

/** One thing about a file. Line and column count from 1; 0: it is in the environment variable that `path` names. */
export interface FileProblem {
  readonly kind: string;
  /** Of a file that the refused one includes. Absent: it is in the refused file. */
  readonly file?: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

/** What a loader says of a file that it refuses. */
export interface Refusal {
  readonly name: string;
  readonly problems: readonly FileProblem[];
  /** How many problems more there are. */
  readonly omitted: number;
}

/** A policy or configuration file is not valid: every problem at once. */
export class ConfigError extends GuardError {
  readonly exitCode = exitCodes.negative;
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`${refusal.name} is not valid`, { code: 'invalid_file' });
    this.refusal = refusal;
  }
}

export function exitCodeOf(error: unknown): number {
  return error instanceof GuardError ? error.exitCode : exitCodes.external;
}
