/** Result of `guardcli allow`: the `--json` document. Strings from the request hold one byte per character (latin1). */
import type { PolicyFile } from '../../../contract/policy/schema.ts';
import type { CaseResult } from './case.ts';
import type { SecretRule } from './secret.ts';

export type Exception = NonNullable<PolicyFile['exceptions']>[number];

export interface Change {
  readonly target: string;
  readonly body?: string;
  readonly host?: string;
  /**
   * Rule that blocks the request without the exception, or the same attack on another path. The reason when no rule
   * decides.
   */
  readonly rule: string;
}

export interface Effects {
  /** Requests that only the exception allows, in groups such as `other paths`. */
  readonly allowed: readonly { readonly title: string; readonly total: number; readonly examples: readonly Change[] }[];
  /** Requests near the path that stay blocked. */
  readonly blocked: readonly string[];
}

export interface AllowResult {
  readonly request: { readonly method: string; readonly target: string; readonly host: string | null };
  readonly policy: string;
  /** `allowed`: the request was allowed before. `limit`: it exceeds a limit, which no exception lifts. */
  readonly status: 'proposed' | 'written' | 'allowed' | 'limit';
  readonly reason: string;
  /** Description of the exceeded limit, with its number. */
  readonly bound?: string;
  readonly exception?: Exception;
  readonly secrets?: readonly SecretRule[];
  readonly effects?: Effects;
  /** Effect of --write on the suite beside the policy. Absent without a suite. */
  readonly suite?: CaseResult;
}
