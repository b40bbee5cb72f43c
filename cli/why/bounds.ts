/** Bounds of a search for a reference. */
export const whyBounds = {
  /** Longest line. A gateway writes at most 4,096 bytes; a log shipper adds members. */
  lineBytes: 64 * 1024,
  /**
   * Bytes before and after the event in which other events are counted: about 16,000 events on each side. Counting a
   * whole file would take several times as long as finding the reference.
   */
  countedBytes: 8 * 1024 * 1024,
  /** Bounds of counting in Loki: lines, and the time before and after the event. */
  countedLines: 20_000,
  countedMs: 3_600_000,
  /** Longest printed value, in characters. */
  valueCharacters: 300,
  /** Number of addresses, and of rules, that the output names. */
  named: 3,
} as const;
