import type { Path, ProblemKind } from '../schema/problem.ts';
import type { Position } from './position.ts';
import type { WarningKind } from './warnings/kinds.ts';

/** A problem or a warning. Its texts can quote the file, escaped and cut. */
export interface Problem {
  readonly kind: ProblemKind | WarningKind;
  /** Dotted path of the key, such as `rules[0].pattern`. Empty: the whole file. */
  readonly path: string;
  /** Line number from 1. 0: unknown, or an environment variable sets the value; `path` then names the variable. */
  readonly line: number;
  /** Column in characters, from 1. It is 0 when `line` is 0. */
  readonly column: number;
  /** A clause that describes the problem, mostly with the expected and the found value. */
  readonly message: string;
  readonly hint?: string;
}

export interface LoadedFile<T> {
  readonly ok: true;
  /** The user's name for the file. */
  readonly name: string;
  readonly value: T;
  /** The file as written, without defaults. */
  readonly file: unknown;
  /**
   * Returns the position of the value at a path. For an absent value, returns the position of the nearest container.
   */
  readonly place: (path: Path) => Position;
  /** Warnings about a valid file, computed at the first access. */
  readonly warnings: readonly Problem[];
}

export interface RefusedFile {
  readonly ok: false;
  readonly name: string;
  /** Sorted by position, at most `limits.fileProblems`. */
  readonly problems: readonly Problem[];
  /** Number of problems that are not in `problems`. */
  readonly omitted: number;
}

export type Loaded<T> = LoadedFile<T> | RefusedFile;

/** Returns the value of a file. @throws Error that names its first problem, with the place */
export function required<T>(loaded: Loaded<T>): T {
  if (loaded.ok) return loaded.value;
  const [{ line, column, path, message } = { line: 0, column: 0, path: '', message: 'not valid' }] = loaded.problems;
  throw new Error(`${loaded.name}:${line}:${column}: ${path ? `${path}: ` : ''}${message}`);
}
