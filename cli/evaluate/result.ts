/** Result of `guardcli test`: the `--json` document. Strings from the request hold one byte per character (latin1). */

import type { Mode } from '../../contract/policy/modes.ts';
import type { RefusedReason } from '../../contract/policy/reasons.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import type { BodyInspection, TracedException, TracedTarget, Verdict } from '../../engine/index.ts';
import type { ClientExplanation } from './client.ts';
import type { NamedFile } from './products.ts';

export interface ProxyView {
  readonly name: string;
  /** The target that the guard in this proxy receives. Null: the proxy refuses the request. */
  readonly received: string | null;
  /** Target that the backend receives if the guard allows the request. Null: the proxy refuses the request. */
  readonly backend: string | null;
}

export type Expectation = 'blocked' | 'allowed';

export interface TestResult {
  readonly request: { readonly method: string; readonly target: string; readonly ip?: string; readonly host?: string };
  /** Path of the policy file. Null when the default policy applies. */
  readonly policy: string | null;
  /** `detect`: a blocked request is reported and passed on. */
  readonly mode: Policy['mode'];
  readonly proxy?: ProxyView;
  /** `refused`: the proxy responds before the guard, or the guard ends a CONNECT. */
  readonly verdict: Verdict['verdict'] | 'refused';
  readonly reason: Verdict['reason'] | RefusedReason;
  /** Why an allowed request, or one of its headers, was not inspected. Ignores the query and the body. */
  readonly uninspected?: string;
  readonly target?: string;
  readonly candidate?: string;
  readonly rule?: string;
  readonly pattern?: string;
  /** Product file that the request names. Present only when a rule from the table of products blocks the request. */
  readonly product?: NamedFile;
  /** Response mode of the policy for a blocked request, even in mode `detect`. Null: the request is not blocked. */
  readonly responseMode: Mode | null;
  /**
   * Status of the response to a blocked or refused request. Null: the request is allowed, or the response mode sets no
   * status.
   */
  readonly status: number | null;
  /** All inspected parts. With --trace, also the rules and exceptions that match each candidate. */
  readonly targets: readonly TracedTarget[];
  /** Absent when no body was inspected. */
  readonly body?: Readonly<BodyInspection>;
  /** Exceptions that disabled a matching rule. With --trace, all exceptions. */
  readonly exceptions?: readonly TracedException[];
  /** With --explain-client. */
  readonly client?: ClientExplanation;
  readonly expected?: { readonly verdict: Expectation; readonly met: boolean };
  readonly notes: readonly string[];
}
