/** Bounds of the management API. */
export const apiBounds = {
  /** Bytes of a request body. The longest valid one has less than 1 KiB. */
  apiBodyBytes: 65_536,
  /** Bytes and number of request headers. Browsers send about 2 KB in 20 headers. */
  apiHeadBytes: 8192,
  apiHeaders: 64,
  /** Milliseconds until the headers, and the whole request, must arrive. Clients are on the same network. */
  apiHeadMs: 5000,
  apiRequestMs: 10_000,
  /** Milliseconds until an idle connection is closed. A scraper pauses for less between two requests. */
  apiIdleMs: 15_000,
  /**
   * Milliseconds until a connection that moves no byte is closed, such as when its client does not read. Heartbeats
   * count as bytes.
   */
  apiStallMs: 30_000,
  /** Requests of one connection without a complete response: the one in progress, and those that wait for it. */
  apiPipelined: 64,
  /** Connections of each listener: 64 event readers, scrapers, tools, and a reserve. */
  apiConnections: 256,
  /** Further connections when every connection has a request in progress. They serve only /health and /ping. */
  apiReserved: 16,
  /**
   * Request rates of a connection, and of a client. A script that bans a list fits: the store writes 2,000 bans per
   * second.
   */
  apiConnectionRate: { perSecond: 500, burst: 1000 },
  apiClientRate: { perSecond: 2500, burst: 5000 },
  /** Clients without a token whose request rates are kept, by address. */
  apiClients: 4096,
  /** Concurrent readers of the event stream. */
  apiReaders: 64,
  /** Milliseconds until a stalled event reader can lose its slot to a new reader. */
  apiReaderStallMs: 2000,
  /** Events, and their bytes, that are kept for reconnecting and slow readers: some minutes of a busy service. */
  apiEvents: 4096,
  apiEventsBytes: 4 * 1024 * 1024,
  /** Milliseconds between two comments in the event stream, which make proxies keep it open. */
  apiHeartbeatMs: 15_000,
} as const;
