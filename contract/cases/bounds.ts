export const suiteBounds = {
  /** Bytes of one suite file: a hundred thousand paths fit. */
  fileBytes: 8 * 1024 * 1024,
  /** Cases of a run after tables and includes, times the policies. All results stay in memory until the report. */
  cases: 100_000,
  /** If each file includes two others, their number doubles with every level. */
  files: 256,
  /** A tree by team and service has three levels. */
  depth: 8,
  /** Each compiled policy stays in memory. */
  policies: 32,
  /** Every report repeats the name of a case. */
  nameBytes: 200,
  /** Bytes of a target, a query or a header value: more than any limit of a proxy or the engine. */
  targetBytes: 65_536,
  /** Servers accept 100. */
  headers: 128,
  /** Sixteen times what a policy inspects by default. */
  bodyBytes: 1024 * 1024,
} as const;
