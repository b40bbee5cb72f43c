/**
 * Reason codes of a verdict (docs/engine.md). They never change, because events, suites and dashboards depend on them.
 */
export const allowedReasons = [
  'disabled',
  'method_not_inspected',
  'allowed_ip',
  'allow_pattern_match',
  'no_match',
] as const;

export const blockedReasons = [
  'block_pattern_match',
  'limit_length',
  'limit_query_pairs',
  'limit_decode_rounds',
  'limit_candidates',
  'limit_regex',
  'limit_body',
  'banned',
] as const;

/** Why a request is refused without a verdict: the proxy responds itself, or the guard ends a CONNECT with 501. */
export const refusedReasons = ['refused_by_proxy', 'refused_tunnel'] as const;

/** Why a part of a body was not inspected, in order of precedence. */
export const overflows = ['encoding', 'length', 'charset', 'malformed', 'values', 'value'] as const;
export type Overflow = (typeof overflows)[number];

export type AllowedReason = (typeof allowedReasons)[number];
export type RefusedReason = (typeof refusedReasons)[number];
export type BlockedReason = (typeof blockedReasons)[number];
export type Limit = Exclude<BlockedReason, 'block_pattern_match' | 'limit_regex' | 'banned'>;
