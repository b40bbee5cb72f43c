/** Bounds of connections. */
export const connectionBounds = {
  /**
   * First bytes of a client that are inspected before the upstream is connected: request headers, a post-quantum
   * ClientHello.
   */
  firstBytes: 16_384,
  /** Bytes of a PROXY header v2 after its fixed part: names of client certificates and cloud identifiers fit. */
  proxyHeaderBytes: 4096,
  /** Waiting connections: a burst during one turn of the event loop. */
  acceptQueue: 4096,
  /** Bytes of a segment when the peer announces no larger size (MSS, RFC 9293, 3.7.1). */
  segmentBytes: 536,
  /** Chunks that are queued for a slow reader before reading pauses. In bulk transfers a chunk has 64 KiB. */
  relayChunks: 64,
  /** Milliseconds that a client may still send after its upstream has closed: it may read the response first. */
  lingerMs: 5000,
  /** Milliseconds that the addresses of an upstream are cached. After a failover, clients wait at most this long. */
  nameMs: 10_000,
  /** Milliseconds that a failed lookup is cached. Otherwise each connection would start one. */
  nameFailureMs: 1000,
  /** Milliseconds for which the last addresses are used while lookups fail (RFC 8767 5). */
  nameStaleMs: 24 * 60 * 60_000,
  /** Milliseconds until a connection uses the last addresses (RFC 8767 5). */
  namePatienceMs: 1800,
  /** Each service with a named upstream has one. */
  names: 4096,
  /** Milliseconds between two checks of a half-closed side: a reset is not noticed otherwise. */
  halfClosedMs: 1000,
  /** New connections of a client with failed logins. 10 is the usual number of failures before a ban. */
  failureRate: { perMinute: 30, burst: 10 },
  /** Clients in the rate table of a gate: 15 MB. Fewer addresses attack a host within a minute. */
  rateKeys: 131_072,
  /** Refused connections in a tarpit: in total, of one client, and milliseconds. Each uses a file descriptor. */
  tarpitConnections: 512,
  tarpitPerClient: 8,
  tarpitMs: 60_000,
  /** The share of global.max_connections. */
  tarpitShare: 0.25,
  /**
   * The share of global.max_connections for one of several services: others keep connections when its upstream hangs.
   */
  serviceShare: 0.75,
  /**
   * Milliseconds until a connection attempt watches for the end of its client. The watch costs a read, and most
   * attempts end earlier.
   */
  connectWatchMs: 250,
  /**
   * Milliseconds until the next address of an upstream is tried: a lost first packet is sent again after a second (RFC
   * 6298 2).
   */
  addressMs: 1000,
  /** Pipes of the Linux data plane. Without one, a bulk transfer is copied. */
  pipes: 64,
  /** Descriptors that are not for connections: 272 for each listener of the API, 128 for pipes, and some for files. */
  reservedDescriptors: 800,
} as const;
