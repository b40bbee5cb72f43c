/** The input and the output of the engine. */

import type { AllowedReason, BlockedReason, Limit, Overflow } from '../contract/policy/reasons.ts';
import type { TargetKind } from '../contract/policy/schema.ts';

/** Names and values as received, in their order; values are byte strings. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A request as a host received it. Byte strings are Latin-1. */
export interface GuardRequest {
  readonly method: string;
  /** The raw target of the request line: never a decoded or cleaned path. */
  readonly target: string;
  /** The target after a rewrite that ran before the guard. */
  readonly rewritten?: string;
  readonly headers: Headers;
  readonly body?: string;
  /** Address of the TCP peer; absent for a peer without one. */
  readonly ip?: string;
  /** As sent, with its port. */
  readonly host?: string;
}

/** One inspected value: its candidates in order, and the limit that was reached, if any. */
export interface Target {
  /** `path`, `query`, `header:<name>` or `body`. */
  readonly name: string;
  /** Selects the rules for it. */
  readonly kind: TargetKind;
  readonly candidates: readonly string[];
  readonly limit?: Limit;
}

/** How much of a body was inspected. */
export interface BodyInspection {
  /** Values, also those that were cut. */
  values: number;
  /** Bytes of these values. */
  bytes: number;
  /** Why a part was not inspected; absent: all of it was, or something else decided the verdict. */
  overflow?: Overflow;
}

export interface Verdict {
  readonly verdict: 'allowed' | 'blocked';
  readonly reason: AllowedReason | BlockedReason;
  /** Of a blocked request: the name of the target. */
  readonly target?: string;
  /** Of a pattern that blocked: the candidate that it matched. */
  readonly candidate?: string;
  /** Id of the rule that blocked, or of the first one that excused a candidate. */
  readonly rule?: string;
  readonly pattern?: string;
  /** Of reason `limit_body`. */
  readonly body?: Readonly<BodyInspection>;
}
