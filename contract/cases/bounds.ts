export const suiteBounds = {
  /** Bytes of one suite file: a hundred thousand paths fit. */
  fileBytes: 8 * 1024 * 1024,
  /**
   * Cases of a run after tables and includes are expanded, multiplied by the policies. All results stay in memory until
   * the report.
   */
  cases: 100_000,
  /** Files of a run. If each file includes two others, their number doubles with every level. */
  files: 256,
  /** Nesting of includes. A tree by team and service has three levels. */
  depth: 8,
  /** Policies of a run. Each compiled policy stays in memory. */
  policies: 32,
  /** Bytes of the name of a case, which every report repeats. */
  nameBytes: 200,
  /** Bytes of a target, a query or a header value: more than any limit of a proxy or the engine. */
  targetBytes: 65_536,
  /** Header lines of a request. Servers accept 100. */
  headers: 128,
  /** Bytes of a request body: sixteen times what a policy inspects by default. */
  bodyBytes: 1024 * 1024,
} as const;
