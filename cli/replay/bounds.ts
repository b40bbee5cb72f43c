/** What bounds the memory of a replay and the length of its output, whatever the logs contain. */
export const replayBounds = {
  /** Longer lines are skipped: four bytes of log for each byte of the longest request line that nginx accepts. */
  lineBytes: 256 * 1024,
  /** Different requests that are counted for each rule. */
  ruleRequests: 256,
  /** Different clients that are counted exactly for each rule, and for each suspect; beyond, their number is estimated. */
  ruleClients: 2048,
  suspectClients: 64,
  /** Different requests that may be false positives. */
  suspects: 2000,
  /** Different hosts of referrers. */
  sites: 500,
  /** Characters of a target, a host or a referrer that are kept. */
  keptCharacters: 256,
  /** Rows that are shown: of requests for each rule, and of suspects. */
  shownRequests: 3,
  shownSuspects: 20,
  /** Milliseconds between two lines of progress. */
  progressMs: 2000,
} as const;
