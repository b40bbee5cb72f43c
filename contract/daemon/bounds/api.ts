/** Bounds of the management API. */
export const apiBounds = {
  /** Bytes of a request body. The longest valid one has less than 1 KiB. */
  apiBodyBytes: 65_536,
  /** Bytes and number of request headers. Browsers send about 2 KB in 20 headers. */
  apiHeadBytes: 8192,
  apiHeaders: 64,
  /** Milliseconds until the headers, and the whole request. Clients are on the same network. */
  apiHeadMs: 5000,
  apiRequestMs: 10_000,
  /** Milliseconds until an idle connection is closed. Scrapers pause for less. */
  apiIdleMs: 15_000,
  /** Milliseconds without a byte until a connection is closed. Heartbeats count as bytes. */
  apiStallMs: 30_000,
  /** Pipelined requests of one connection. */
  apiPipelined: 64,
  /** Connections of each listener: 64 event readers, scrapers, tools, and a reserve. */
  apiConnections: 256,
  /** Further connections when every one has a request. They serve only /health and /ping. */
  apiReserved: 16,
  /**
   * Request rates of a connection, and of a client. A script that bans a list fits: the store writes 2,000 bans per
   * second.
   */
  apiConnectionRate: { perSecond: 500, burst: 1000 },
  apiTotalRate: { perSecond: 2500, burst: 5000 },
  /** Addresses without a token. */
  apiClients: 4096,
  /** Readers of the event stream. */
  apiReaders: 64,
  /** Milliseconds until a stalled reader can lose its slot. */
  apiReaderStallMs: 2000,
  /** Events that are kept for reconnecting and slow readers: some minutes of a busy service. */
  apiEvents: 4096,
  apiEventsBytes: 4 * 1024 * 1024,
  /** Milliseconds between two comments, which keep the event stream open in proxies. */
  apiHeartbeatMs: 15_000,
} as const;
