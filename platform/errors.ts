/** Errors with a meaning for the user, and the exit statuses. Any other thrown error is a bug of this program. */

/** 0: done; 1: negative result; 2: usage error; 3: an external tool or this program failed; 130: interrupted. */
export const exitCodes = { done: 0, negative: 1, usage: 2, external: 3, interrupted: 130 } as const;

export interface ErrorDetails {
  /** Stable code for scripts, such as `unknown_option`. */
  readonly code: string;
  /** The action that fixes the error, as a lower-case clause. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * Base of all errors that are not bugs. The message is a lower-case clause that can contain hostile text: escape it
 * before printing.
 */
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

/** The command line, or a file that it names, is not usable. */
export class UsageError extends GuardError {
  readonly exitCode = exitCodes.usage;
}

export interface FailedTool {
  /** The program or container runtime, such as `docker` or `go`. */
  readonly tool: string;
  readonly args?: readonly string[];
  /** The last lines of the tool's output. */
  readonly output?: string;
}

/** An external tool failed or is missing. */
export class ExternalError extends GuardError {
  readonly exitCode = exitCodes.external;
  readonly failed: FailedTool;

  constructor(message: string, details: ErrorDetails & { readonly failed: FailedTool }) {
    super(message, details);
    this.failed = details.failed;
  }
}

/** A resource remains, or a change is not verified. It is reported even after an interruption. */
export class CleanupError extends ExternalError {}

/** A problem in a file. Line and column count from 1. They are 0 when `path` names an environment variable. */
export interface FileProblem {
  readonly kind: string;
  /** The included file that has the problem. Absent: the problem is in the refused file itself. */
  readonly file?: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

export interface Refusal {
  readonly name: string;
  readonly problems: readonly FileProblem[];
  /** Number of problems that are not in the list. */
  readonly omitted: number;
}

/** The error for an invalid policy or configuration file, with its problems. */
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
