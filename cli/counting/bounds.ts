/** Bounds on the memory and the output of the commands that count requests and events. Their input may have any size. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Characters by which counted paths, targets, hosts and referrers are distinguished. */
export const keptCharacters = 256;
/** Different requests with a count, for each rule. */
const ruleRequests = 256;
/** Largest exact number of clients of a rule. A larger number is estimated. */
const ruleClients = 2048;

/** Bounds of `test --paths`. */
export const listBounds = {
  ruleTargets: ruleRequests,
  /** Printed targets: of a rule, and with an unexpected verdict. */
  shownTargets: 3,
  disagreements: 20,
} as const;

/** Bounds of `diff`, for each kind of change. Two policies with many rules could have a million pairs of rules. */
export const diffBounds = { pairs: 1000, requests: 20 } as const;

/** Bounds of `replay`. */
export const replayBounds = {
  /** Longer lines are skipped. A byte of the longest request line of nginx takes at most four bytes of log. */
  lineBytes: 256 * 1024,
  ruleRequests,
  ruleClients,
  /** Largest exact number of clients of a possible false positive. */
  suspectClients: 64,
  /** Different requests that are counted as possible false positives. */
  suspects: 2000,
  /** Clients with blocked requests. Up to twice as many clients without blocked requests are stored, too. */
  answeredClients: 4096,
  /** Different successful requests: of one client, and of all clients. */
  answeredByClient: 32,
  answeredRequests: 10_000,
  /** Clients with a count. */
  clients: 4096,
  /** Different hosts of referrers. */
  sites: 500,
  /** Printed rows: requests of a rule, possible false positives, successful requests of clients with blocked ones. */
  shownRequests: 3,
  shownSuspects: 20,
  shownAnswered: 30,
  /** Printed rows of `replay --bans`: addresses that would have been banned, and those that are never banned. */
  shownBanned: 50,
  shownSpared: 10,
  /** Milliseconds between two lines of progress. */
  progressMs: 2000,
} as const;

/** Bounds of `dashboard report`, also on the size of its page. */
export const reportBounds = {
  /** Events have at most 4,096 bytes, and the last line of `guardcli replay --json` about 200,000. */
  lineBytes: 512 * 1024,
  /** Maximum numbers of distinct values with a count. At the limit, a new value evicts those that are rare so far. */
  addresses: 20_000,
  paths: 10_000,
  rules: 256,
  sources: 32,
  /** Different paths with a count, for each rule. */
  rulePaths: 64,
  ruleClients,
  parsedAddresses: 10_000,
  pathCharacters: keptCharacters,
  /** Characters by which names of rules and sources are distinguished. */
  nameCharacters: 64,
  /** Most events that one summary record may claim. */
  eventsOfRecord: 1_000_000_000,
  /** Bounds of credible times, relative to now. Times outside come from a wrong clock; clocks of two hosts may differ a little. */
  oldestMs: 3650 * dayMs,
  futureMs: 5 * minuteMs,
  /** Bars of a chart over time: enough for a week of hours (168). */
  buckets: 170,
  /** Each width is a multiple of the width before, so that bars can be joined. */
  bucketMs: [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs, dayMs, 7 * dayMs, 28 * dayMs],
  rows: 50,
  /** Paths of a rule. */
  shownPaths: 3,
  /** Series of a chart. One more series shows the sum of all others. */
  series: 6,
  files: 50,
  /** Longest value on the page, in characters. */
  shownCharacters: 120,
} as const;

/** Bounds of `why`. */
export const whyBounds = {
  /** A gateway writes at most 4,096 bytes in a line; a log shipper adds members. */
  lineBytes: 64 * 1024,
  /** Bytes before and after the event in which other events are counted: about 16,000 events on each side. */
  countedBytes: 8 * 1024 * 1024,
  /** Bounds of counting in Loki: lines, and the time before and after the event. */
  countedLines: 20_000,
  countedMs: 3_600_000,
  /** Characters of a printed value. */
  valueCharacters: 300,
  /** Addresses and rules that the output names. */
  named: 3,
} as const;
