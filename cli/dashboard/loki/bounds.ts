/** Limits for requests to Loki and for its responses. */

export const lokiBounds = {
  /** Longest response. 5,000 ordinary events have about 5 MB. */
  responseBytes: 32 * 1024 * 1024,
  /** Most series of a response. By default, Loki refuses queries with more than 500. */
  series: 1000,
  /** Most samples of a response, over all series. */
  samples: 500_000,
  /** Most lines of a response. This is also the default limit of Loki. */
  lines: 5000,
  /** Longest WebSocket message with new lines. */
  messageBytes: 8 * 1024 * 1024,
  /** Printed bytes of an error response. */
  errorBytes: 4096,
  timeoutMs: 30_000,
  /** Delay before the live tail reconnects. It starts with `first` and doubles up to `last`. */
  reconnectMs: { first: 500, last: 10_000 },
} as const;
