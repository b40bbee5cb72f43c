/** Bounds of a search for a reference. */
export const whyBounds = {
  /** Bytes of a line, as in the report. A gateway writes at most 4,096; a log shipper adds members. */
  lineBytes: 64 * 1024,
  /**
   * Bytes before and after the event whose lines are counted: some 16,000 events each. Counting all lines would take
   * several times as long as finding the reference.
   */
  countedBytes: 8 * 1024 * 1024,
  /** The same in Loki: lines, and the time before and after the event. */
  countedLines: 20_000,
  countedMs: 3_600_000,
  /** Characters of a value in the output. */
  valueCharacters: 300,
  /** Addresses, and rules, that the output names. */
  named: 3,
} as const;
