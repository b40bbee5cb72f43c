/** Reason codes of a verdict (docs/engine.md). Stable for ever: events, suites and dashboards read them. */
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
] as const;

export type AllowedReason = (typeof allowedReasons)[number];
export type BlockedReason = (typeof blockedReasons)[number];
export type Limit = Exclude<BlockedReason, 'block_pattern_match' | 'limit_regex'>;
