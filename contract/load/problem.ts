import type { Path, ProblemKind } from '../schema/problem.ts';
import type { Position } from './position.ts';
import type { WarningKind } from './warnings/kinds.ts';

/** Texts of the file are escaped and cut. */
export interface Problem {
  readonly kind: ProblemKind | WarningKind;
  /** Dotted, such as `rules[0].pattern`. Empty: the whole file. */
  readonly path: string;
  /** The first line is 1. 0: the environment variable in `path` sets the value. */
  readonly line: number;
  /** Counts characters. The first column is 1. 0: `line` is 0. */
  readonly column: number;
  /** A clause with the expected and the found value. */
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
  /** For an absent value, returns the position of its nearest container. */
  readonly place: (path: Path) => Position;
  /** Computed at the first access. */
  readonly warnings: readonly Problem[];
}

export interface RefusedFile {
  readonly ok: false;
  readonly name: string;
  /** Sorted by position, at most `limits.fileProblems`. */
  readonly problems: readonly Problem[];
  /** Number of further problems. */
  readonly omitted: number;
}

export type Loaded<T> = LoadedFile<T> | RefusedFile;
