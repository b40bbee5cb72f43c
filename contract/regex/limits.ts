/** Bounds of patterns, each with its reason. They are part of the limits in contract/policy/limits.ts. */
export const regexLimits = {
  /** Bytes of one pattern. The largest built-in pattern has a few less. */
  regexBytes: 2048,
  /** Nesting of groups. Parsers recurse, so deep nesting would exhaust their stack. */
  regexNesting: 32,
  /** Largest count of a quantifier, and largest product of nested counts. RE2 has the same bound. */
  regexRepeat: 1000,
  /**
   * Characters, assertions and branches of a pattern after its counts are expanded. RE2 compiles every pattern of this
   * size within its limit of 8 MiB.
   */
  regexSize: 5000,
  /**
   * Transitions of a repeated group that is checked for backtracking. The check takes quadratic time. Fifty alternative
   * words have 2,500.
   */
  regexLoopEdges: 4096,
  /** Pairs of positions that two runs over one text reach. Fifty alternative words have 1,300. */
  regexLoopPairs: 4096,
} as const;
