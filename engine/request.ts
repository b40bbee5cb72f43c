/** The input and the output of the engine. A candidate is a text that some server may read in an inspected value. */

import type { AllowedReason, BlockedReason, Limit, Overflow } from '../contract/policy/reasons.ts';
import type { BanTable } from './ban-list.ts';
import type { RuleKind } from './rules.ts';

/** Names and values in received order. Values are byte strings. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A request as the guard in a proxy receives it. Its strings are byte strings: one Latin-1 character for each byte. */
export interface GuardRequest {
  readonly method: string;
  /** The target of the request line, not decoded. Traefik cleans it before the guard receives it. */
  readonly target: string;
  /** The target after a rewrite that ran before the guard. */
  readonly rewritten?: string;
  readonly headers: Headers;
  readonly body?: string;
  /** Address of the TCP peer; absent when the peer has none, as on a Unix socket. */
  readonly ip?: string;
  /**
   * The host of the Host header or of an absolute target, with its port. If the two differ in nginx, both, joined with
   * a space.
   */
  readonly host?: string;
  /** The ban list when the request arrived. Absent: the policy has none, or it was never read. */
  readonly bans?: Pick<BanTable, 'has'>;
}

/** One inspected value: its candidates in order, and the limit that was reached, if any. */
export interface Target {
  /** `path`, `query`, `header:<name>` or `body`. */
  readonly name: string;
  /** Selects the rules that apply to the target. */
  readonly kind: RuleKind;
  readonly candidates: readonly string[];
  readonly limit?: Limit;
}

/**
 * Targets that are judged together. Exceptions apply to them, and custom allow rules excuse them, by the paths of their
 * section.
 */
export interface Section {
  /** The paths, inspected first. Absent for cookies and the body, which belong to the paths of the request. */
  readonly paths?: readonly Target[];
  /** The other targets. They can be computed lazily, and are not read when custom allow rules excuse all paths. */
  readonly values: Iterable<Target>;
}

/** How much of a body was inspected. */
export interface BodyInspection {
  /** Number of inspected values, including values that were cut. */
  values: number;
  /** Number of inspected bytes in these values. */
  bytes: number;
  /** Why a part was not inspected. Absent when everything was inspected. */
  overflow?: Overflow;
}

export interface Verdict {
  readonly verdict: 'allowed' | 'blocked';
  readonly reason: AllowedReason | BlockedReason;
  /** Name of the target that blocked the request. */
  readonly target?: string;
  /** The candidate, or the shorter reading of one, that the blocking pattern matched. */
  readonly candidate?: string;
  /** Id of the rule that blocked, or of the first rule that excused a candidate. */
  readonly rule?: string;
  readonly pattern?: string;
  /** How much of the body was inspected; present with reason `limit_body`. */
  readonly body?: Readonly<BodyInspection>;
}
