/** Bounds on the memory of a replay and on the length of its output, for logs with any content. */
export const replayBounds = {
  /**
   * Longer lines are skipped. A byte of the longest request line that nginx accepts takes at most four bytes of log.
   */
  lineBytes: 256 * 1024,
  /** Different requests that are counted for each rule. */
  ruleRequests: 256,
  /**
   * Different clients that are counted exactly for each rule and for each suspect. Beyond this, their number is
   * estimated.
   */
  ruleClients: 2048,
  suspectClients: 64,
  /** Different requests that may be false positives. */
  suspects: 2000,
  /** Clients with a blocked request whose successful requests are kept. At most twice as many recent ones without are kept too. */
  answeredClients: 4096,
  /** Different successful requests of one client, and of all clients for the comparison. */
  answeredByClient: 32,
  answeredRequests: 10_000,
  /** Different hosts of referrers. */
  sites: 500,
  /** Characters kept of a target, a host or a referrer. */
  keptCharacters: 256,
  /** Rows that are shown: requests of each rule, suspects, and what clients with blocked requests got. */
  shownRequests: 3,
  shownSuspects: 20,
  shownAnswered: 30,
  /** Milliseconds between two lines of progress. */
  progressMs: 2000,
} as const;
