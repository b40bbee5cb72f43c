/** Bounds of a search for a reference. */
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
