/** Bounds of the management API. */
export const apiBounds = {
  /** Bytes of a request body of the management API. The longest valid body has less than 1 KiB. */
  apiBodyBytes: 65_536,
  /**
   * Bytes of the request line and headers of an API request, and the number of headers. Browsers send about 2 KB in 20
   * headers.
   */
  apiHeadBytes: 8192,
  apiHeaders: 64,
  /**
   * Milliseconds until the headers of an API request, and the whole request, must arrive. Clients are on the same
   * network.
   */
  apiHeadMs: 5000,
  apiRequestMs: 10_000,
  /** Milliseconds until an idle API connection is closed. A scraper pauses for a shorter time between two requests. */
  apiIdleMs: 15_000,
  /**
   * Milliseconds without a byte in either direction before an API connection is closed, such as when the client does
   * not read. Heartbeats count as bytes.
   */
  apiStallMs: 30_000,
  /** Pipelined requests of one connection that await an earlier response. */
  apiPipelined: 64,
  /** Open connections of each API listener: 64 event readers, scrapers and tools, and a reserve. */
  apiConnections: 256,
  /** Additional connections when every connection has a request in progress. They serve only /health and /ping. */
  apiReserved: 16,
  /**
   * Request rate and burst of one API connection, and of all connections of a client. A script that bans a list fits:
   * the store writes 2,000 bans per second.
   */
  apiConnectionRate: { perSecond: 500, burst: 1000 },
  apiTotalRate: { perSecond: 2500, burst: 5000 },
  /** Addresses without a token that have separate rates. */
  apiClients: 4096,
  /** Concurrent readers of the event stream. */
  apiReaders: 64,
  /** Milliseconds after which a stalled event reader can lose its slot to a new reader. */
  apiReaderStallMs: 2000,
  /** Events, and their bytes, kept for reconnecting and slow readers: some minutes of a busy service. */
  apiEvents: 4096,
  apiEventsBytes: 4 * 1024 * 1024,
  /** Milliseconds between two comments that keep the stream open through proxies. */
  apiHeartbeatMs: 15_000,
} as const;
