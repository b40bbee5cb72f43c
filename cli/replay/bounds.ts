/** Bounds on the memory of a replay and on the length of its output. */
export const replayBounds = {
  /** Longer lines are skipped. A byte of the longest request line of nginx takes at most four bytes of log. */
  lineBytes: 256 * 1024,
  /** Different requests with a count, for each rule. */
  ruleRequests: 256,
  /** Largest exact number of clients: of a rule, and of a possible false positive. Larger numbers are estimated. */
  ruleClients: 2048,
  suspectClients: 64,
  /** Different requests that are counted as possible false positives. */
  suspects: 2000,
  /** Clients with blocked requests. Up to twice as many clients without blocked requests are stored, too. */
  answeredClients: 4096,
  /** Different successful requests: of one client, and of all clients. */
  answeredByClient: 32,
  answeredRequests: 10_000,
  /** Different hosts of referrers. */
  sites: 500,
  /** Characters kept of a target, a host or a referrer. */
  keptCharacters: 256,
  /** Printed rows: requests of a rule, possible false positives, successful requests of clients with blocked ones. */
  shownRequests: 3,
  shownSuspects: 20,
  shownAnswered: 30,
  /** Milliseconds between two lines of progress. */
  progressMs: 2000,
} as const;
