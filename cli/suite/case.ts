/** Cases that are ready to run: tables and includes are expanded, and policies are loaded. */
import type { Expect } from '../../contract/cases/schema.ts';
import type { Position } from '../../contract/load/position.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import type { GuardRequest } from '../../engine/index.ts';

export interface SuitePolicy {
  /** Path as the user wrote it. Null for the default policy. */
  readonly name: string | null;
  readonly policy: Policy;
}

export interface Case {
  readonly name: string;
  /** Path of the suite file with the case, as the user wrote it. */
  readonly file: string;
  readonly position: () => Position;
  readonly request: GuardRequest;
  readonly expect: Expect;
  readonly policy: SuitePolicy;
}

export interface LoadedSuite {
  /** The file that the user named. */
  readonly name: string;
  readonly cases: readonly Case[];
}
