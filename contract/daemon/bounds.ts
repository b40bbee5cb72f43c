/**
 * Every bound on what a client, an upstream or a neighbour can make the daemon hold, each with its reason. Bounds of files
 * and policies are in contract/limits.ts.
 */
export const daemonBounds = {
  /** Bytes of an unfinished line or message that an inspector keeps of each side: SMTP allows lines of 12,288 for AUTH (RFC 4954 4), the longest of the text protocols. */
  inspectorPendingBytes: 16_384,
  /** Bytes of a client's line in a text protocol, of which the first and the last are kept: what Dovecot takes for one command, the most of the servers known. */
  clientLineBytes: 65_536,
  /** Bytes of a server's line: an answer to IMAP SEARCH names every message, and a million of them make 8 MB. */
  serverLineBytes: 16 * 1024 * 1024,
  /** Commands of a connection whose reply is awaited. Mail to a thousand recipients is pipelined in one go (RFC 5321 4.5.3.1.10 asks for 100). */
  commandsInFlight: 1024,
  /** Bytes that a fact of a connection keeps: names of hosts and users fit, and a flood of facts stays small. */
  factBytes: 256,
  /** Bytes of a body to the management API: the longest valid one has less than one KiB. */
  apiBodyBytes: 65_536,
  /** Bytes of the request line and headers of a request to it, and how many headers: browsers send some 2 KB in 20. */
  apiHeadBytes: 8192,
  apiHeaders: 64,
  /** Milliseconds in which headers, and then the whole request, have to arrive: clients are near. */
  apiHeadMs: 5000,
  apiRequestMs: 10_000,
  /** Milliseconds that an idle connection to it is kept: longer than scrapers take between two requests of one round. */
  apiIdleMs: 15_000,
  /** Connections to it at once and listener: 64 readers of events, scrapers and tools, with room. */
  apiConnections: 256,
  /** Requests to it, a second and at once: of one connection, and of all together. A script that bans a list fits. */
  apiConnectionRate: { perSecond: 500, burst: 1000 },
  apiTotalRate: { perSecond: 1000, burst: 2000 },
  /** Readers of its event stream at once. */
  apiReaders: 64,
  /** Events, and bytes of them, that are kept for readers that come back or are slow: some minutes of a busy service. */
  apiEvents: 4096,
  apiEventsBytes: 4 * 1024 * 1024,
  /** Milliseconds between two comments that keep the stream alive through proxies; a reader that takes none of one is gone. */
  apiHeartbeatMs: 15_000,
} as const;
