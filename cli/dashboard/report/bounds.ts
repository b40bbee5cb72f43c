/** What bounds the memory of a report and the size of its page, whatever the input. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const reportBounds = {
  /**
   * Longer lines are skipped. Events have at most 4,096 bytes, audit records with facts some 10,000, and the last line
   * of `guardcli replay --json` some 200,000.
   */
  lineBytes: 512 * 1024,
  /** Different values of which each one is counted; beyond, the rare ones are forgotten. */
  addresses: 20_000,
  paths: 10_000,
  rules: 256,
  sources: 32,
  /** Different paths that are counted for each rule. */
  rulePaths: 64,
  /** Different clients that are counted exactly for each rule; beyond, their number is estimated. */
  ruleClients: 2048,
  /** Addresses whose canonical form is remembered. */
  parsedAddresses: 10_000,
  /** Characters of a path by which it is counted, and of all other values. */
  pathCharacters: 256,
  nameCharacters: 64,
  /** The most events that one record can summarize. */
  eventsOfRecord: 1_000_000_000,
  /** Times outside of this range around now are those of a wrong clock. */
  oldestMs: 3650 * dayMs,
  futureMs: dayMs,
  /** Bars of a chart over time: a week of hours. */
  buckets: 170,
  /** Widths of a bar. Each is a multiple of the one before, so that bars can be joined. */
  bucketMs: [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs, dayMs, 7 * dayMs, 28 * dayMs],
  /** Rows of a list on the page. */
  rows: 50,
  /** Series of a chart; all others are one more. */
  series: 6,
  /** Files that are listed one by one. */
  files: 50,
  /** Characters of a value on the page. */
  shownCharacters: 120,
} as const;
