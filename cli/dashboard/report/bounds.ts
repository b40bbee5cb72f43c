/** Limits that bound the memory for a report and the size of its page for any input. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

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
  /** Largest exact number of clients of a rule. A larger number is estimated. */
  ruleClients: 2048,
  parsedAddresses: 10_000,
  /** Characters by which paths and other values are distinguished. */
  pathCharacters: 256,
  nameCharacters: 64,
  /** Most events that one summary record may claim. */
  eventsOfRecord: 1_000_000_000,
  /** Bounds of credible times, relative to now. Times outside come from a wrong clock. */
  oldestMs: 3650 * dayMs,
  futureMs: dayMs,
  /** Bars of a chart over time: enough for a week of hours (168). */
  buckets: 170,
  /** Each width is a multiple of the width before, so that bars can be joined. */
  bucketMs: [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs, dayMs, 7 * dayMs, 28 * dayMs],
  rows: 50,
  /** Series of a chart. One more series shows the sum of all others. */
  series: 6,
  files: 50,
  /** Longest value on the page, in characters. */
  shownCharacters: 120,
} as const;
