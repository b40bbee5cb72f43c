/** What bounds a conversation with Loki. */

export const lokiBounds = {
  /** A response. 5,000 lines of an ordinary event have some 5 MB. */
  responseBytes: 32 * 1024 * 1024,
  /** Series of a response; Loki itself refuses more than 500. */
  series: 1000,
  /** Samples of a response over all of its series. */
  samples: 500_000,
  /** Lines of a response: the most that Loki returns unless its configuration says otherwise. */
  lines: 5000,
  /** A message of the tail. */
  messageBytes: 8 * 1024 * 1024,
  /** An error that Loki responds with. */
  errorBytes: 4096,
  timeoutMs: 30_000,
  /** Wait before the tail connects again: the first one, doubled up to the last one. */
  reconnectMs: { first: 500, last: 10_000 },
} as const;
