/** Result of `guardcli allow`: the `--json` document. Strings from the request hold one byte per character (latin1). */
import type { PolicyFile } from '../../../contract/policy/schema.ts';
import type { CaseResult } from './case.ts';
import type { SecretRule } from './secret.ts';

/** An entry of `exceptions` in a policy. */
export type Exception = NonNullable<PolicyFile['exceptions']>[number];

/** A request whose verdict the exception changes. */
export interface Change {
  readonly target: string;
  readonly body?: string;
  readonly host?: string;
  /** The rule that blocks it without the exception. */
  readonly rule: string;
}

export interface Effects {
  /** Requests that are blocked without the exception and allowed with it, grouped by their purpose. */
  readonly allowed: readonly { readonly title: string; readonly total: number; readonly examples: readonly Change[] }[];
  /** Requests near the path that stay blocked. */
  readonly blocked: readonly string[];
}

export interface AllowResult {
  readonly request: { readonly method: string; readonly target: string; readonly host: string | null };
  readonly policy: string;
  /** `allowed`: the request was allowed before. `limit`: it exceeds a limit, which no exception lifts. */
  readonly status: 'proposed' | 'written' | 'allowed' | 'limit';
  /** Reason code of the verdict without the exception. */
  readonly reason: string;
  /** Description of the exceeded limit, with its number. Absent for other reasons. */
  readonly bound?: string;
  readonly exception?: Exception;
  /** Rules of the exception about files that are never meant for the public. */
  readonly secrets?: readonly SecretRule[];
  readonly effects?: Effects;
  /** With --write, the effect on the suite beside the policy. Absent when there is no suite. */
  readonly suite?: CaseResult;
}
