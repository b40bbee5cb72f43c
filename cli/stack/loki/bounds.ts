export const lokiBounds = {
  /** 5,000 ordinary events have about 5 MB. */
  responseBytes: 32 * 1024 * 1024,
  /** By default, Loki refuses queries with more than 500 series. */
  series: 1000,
  /** Samples of all series of a response. */
  samples: 500_000,
  /** Lines of a response: the default limit of Loki. */
  lines: 5000,
  /** Longest WebSocket message. */
  messageBytes: 8 * 1024 * 1024,
  /** Printed part of an error response. */
  errorBytes: 4096,
  timeoutMs: 30_000,
  /** Wait before the next attempt to connect: `first` after an open connection. Each failed attempt doubles it. */
  reconnectMs: { first: 500, last: 10_000 },
} as const;
