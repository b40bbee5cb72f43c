/** What loading a file gives. */
import type { Path, ProblemKind } from '../schema/problem.ts';
import type { Position } from './position.ts';
import type { WarningKind } from './warnings/kinds.ts';

/** One thing about a file. The texts may quote the file, escaped and cut. */
export interface Problem {
  readonly kind: ProblemKind | WarningKind;
  /** Dotted path of the key, such as `rules[0].pattern`; empty: the file as a whole. */
  readonly path: string;
  /** From 1; 0 when the value comes from an environment variable, which `path` then names. */
  readonly line: number;
  /** From 1, in characters; 0 like `line`. */
  readonly column: number;
  /** What is wrong, as a clause: what was expected and what was found. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

export interface LoadedFile<T> {
  readonly ok: true;
  /** As the user knows it. */
  readonly name: string;
  readonly value: T;
  /** The file as written, without defaults. */
  readonly file: unknown;
  /** Position of the value at a path; for an absent one, of what should contain it. */
  readonly place: (path: Path) => Position;
  /** What is valid and still worth a look; found when first asked for. */
  readonly warnings: readonly Problem[];
}

export interface RefusedFile {
  readonly ok: false;
  readonly name: string;
  /** By position; at most `limits.fileProblems`. */
  readonly problems: readonly Problem[];
  /** How many problems more there are. */
  readonly omitted: number;
}

export type Loaded<T> = LoadedFile<T> | RefusedFile;
