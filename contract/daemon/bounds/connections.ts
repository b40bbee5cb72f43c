/** Bounds of connections: reading, connecting, relaying and refusing them. */
export const connectionBounds = {
  /**
   * First bytes of a client that are inspected before the upstream is connected. The headers of a request fit, and a
   * ClientHello with post-quantum keys.
   */
  firstBytes: 16_384,
  /**
   * Bytes of a PROXY header of version 2 after its fixed part. The names of a client certificate and cloud identifiers
   * fit.
   */
  proxyHeaderBytes: 4096,
  /** Connections that wait for `accept`: those of a burst that arrive during one turn of the event loop. */
  acceptQueue: 4096,
  /** Bytes of a TCP segment when the peer announces no larger size (MSS, RFC 9293, 3.7.1). */
  segmentBytes: 536,
  /**
   * Chunks of one direction that are queued for a slow reader before reading pauses. In bulk transfers a chunk has 64
   * KiB.
   */
  relayChunks: 64,
  /**
   * Milliseconds that a client may still send after its upstream has responded and closed. The client needs this time
   * to read the response.
   */
  lingerMs: 5000,
  /**
   * Milliseconds for which the addresses of a named upstream are cached. A client that reconnects after a failover
   * waits at most this long. The system does not report the lifetime of addresses.
   */
  nameMs: 10_000,
  /** Milliseconds for which a failed lookup is cached. Without the cache each connection would start a lookup. */
  nameFailureMs: 1000,
  /** Milliseconds for which the last addresses of a name are used while lookups fail (RFC 8767 5). */
  nameStaleMs: 24 * 60 * 60_000,
  /** Milliseconds that a connection waits for a lookup before it uses the last addresses (RFC 8767 5). */
  namePatienceMs: 1800,
  /** Cached names. Each service with a named upstream has one. */
  names: 4096,
  /**
   * Milliseconds between two checks of a half-closed side. Without the check a reset goes unnoticed, and the connection
   * keeps its slot until the idle limit.
   */
  halfClosedMs: 1000,
  /**
   * New connections of a client with failed logins, per minute and at once. A person who mistypes needs fewer, and 10
   * is the usual number of failures before a ban.
   */
  failureRate: { perMinute: 30, burst: 10 },
  /** Clients in the rate table of a gate. They take about 15 MB, and fewer addresses attack a host within a minute. */
  rateKeys: 131_072,
  /**
   * Refused connections in a tarpit: in total, of one client, and their duration in milliseconds. Each uses a file
   * descriptor.
   */
  tarpitConnections: 512,
  tarpitPerClient: 8,
  tarpitMs: 60_000,
  /** Share of global.max_connections that tarpits can use. The remainder stays available to other clients. */
  tarpitShare: 0.25,
  /**
   * Share of global.max_connections for one of several services, unless its max_connections says otherwise. Other
   * services keep connections when the upstream of one hangs.
   */
  serviceShare: 0.75,
  /**
   * Milliseconds until a connection attempt starts to watch whether its client closes. Most attempts end earlier, and
   * the watch costs a read.
   */
  connectWatchMs: 250,
  /**
   * Milliseconds before the next address of an upstream is tried while the attempt for an earlier one still waits. A
   * lost first packet is sent again after a second (RFC 6298 2).
   */
  addressMs: 1000,
  /**
   * Pipes of the Linux data plane. A bulk transfer without a pipe is copied, so stalled readers cannot use up
   * descriptors.
   */
  pipes: 64,
  /**
   * Descriptors reserved for uses other than connections: 272 for each of the two listeners of the API, 128 for pipes,
   * and some for listeners, files and threads.
   */
  reservedDescriptors: 800,
} as const;
