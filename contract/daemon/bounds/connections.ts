/** Bounds of connections. */
export const connectionBounds = {
  /**
   * First bytes of a client that are inspected before the upstream is connected. The headers of a request fit, and a
   * ClientHello with post-quantum keys.
   */
  firstBytes: 16_384,
  /**
   * Bytes of clients that a process holds: first bytes, unfinished messages, bytes that wait, and commands without a
   * reply. `process`: of all clients. The process stays below 256 MiB with 10,000 connections, which take 110 to 150
   * MiB. `client`: of one address (IPv6: of one /64), so that one address cannot take the bytes of others. It is enough
   * for 512 of the longest unfinished requests, or for 128 uploads that are inspected. An honest client mostly holds
   * less than 1 KB, for milliseconds. Beyond a bound, the connection that holds most is closed.
   */
  heldBytes: { process: 24 * 1024 * 1024, client: 8 * 1024 * 1024 },
  /**
   * The bounds of held bytes are at least this many times the bytes of a body that a policy inspects. Otherwise a policy
   * with a large `maxBodyBytes` would refuse the uploads that it is for.
   */
  heldBodies: { process: 6, client: 2 },
  /**
   * Bytes that a process keeps for receivers that do not read, and reads ahead of bytes that wait: a share of its memory,
   * and at least `least`. Each such connection takes up to 128 KiB on node:net, so `least` is enough for 512 downloads
   * over slow lines, and fits into 256 MiB beside 10,000 connections and `heldBytes`. Beyond it, the connection that has
   * not drained its bytes for longest is closed.
   */
  stalledBytes: { least: 64 * 1024 * 1024, memoryShare: 1 / 8 },
  /**
   * Bytes of connections that were closed by these bounds until V8 collects their memory. It would otherwise wait until
   * there is three times as much, and an attack that replaces its connections would fill the memory meanwhile.
   */
  heldGarbage: 8 * 1024 * 1024,
  /**
   * Bytes that ended connections leave on the heap until they are collected: about 2,700 that had been open for seconds,
   * because V8 frees young objects early. Without this bound, 9,500 idle connections that end at once and come again
   * take more than 256 MiB.
   */
  endedBytes: 16 * 1024 * 1024,
  /** Bytes of an idle connection on the heap, as measured on node:net. On the Linux plane it has a fifth. */
  connectionHeapBytes: 6 * 1024,
  /** Ended connections between checks of the heap, each of which takes 3 microseconds. */
  endsBetweenChecks: 256,
  /** Bytes that a held line or command takes in addition to its text: objects, and entries of tables. */
  heldItemBytes: 128,
  /**
   * Bytes of a PROXY header of version 2 after its fixed part. Names of client certificates and cloud identifiers fit.
   */
  proxyHeaderBytes: 4096,
  /** Connections that wait for `accept`: a burst during one turn of the event loop. */
  acceptQueue: 4096,
  /** Bytes of a TCP segment when the peer announces no larger size (MSS, RFC 9293, 3.7.1). */
  segmentBytes: 536,
  /** When this many chunks wait for a slow receiver, the relay reads no more. In bulk transfers a chunk has 64 KiB. */
  relayChunks: 64,
  /**
   * Milliseconds that a side may still send after the other side has closed, such as a client after its upstream. The
   * client needs this time to read the response.
   */
  lingerMs: 5000,
  /**
   * Milliseconds that the addresses of a named upstream are cached. After a failover, clients wait at most this long.
   */
  nameMs: 10_000,
  /** Milliseconds that a failed lookup is cached. Otherwise each connection would start a lookup. */
  nameFailureMs: 1000,
  /** Milliseconds for which the last addresses of a name are used while lookups fail (RFC 8767 5). */
  nameStaleMs: 24 * 60 * 60_000,
  /** Milliseconds that a connection waits for a lookup before it uses the last addresses (RFC 8767 5). */
  namePatienceMs: 1800,
  /** Cached names. Each service with a named upstream has one. */
  names: 4096,
  /** Milliseconds between two checks of a half-closed side. Without the check, a reset is not noticed. */
  halfClosedMs: 1000,
  /**
   * New connections of a client with failed logins, where logins do not wait for their outcome. After 10 failures a client
   * is usually banned.
   */
  failureRate: { perMinute: 30, burst: 10 },
  /**
   * Logins of a failing client that servers judge at a time, beyond the failures that ban it. With fewer, a slow server
   * would delay its honest users behind one shared address.
   */
  spareJudgedLogins: 2,
  /**
   * Logins of a client without failures that servers judge at a time, if its limit after a failure is not larger. With
   * fewer, a pool of connections would start slower: servers judge most logins in milliseconds.
   */
  firstJudgedLogins: 16,
  /**
   * Users that clients have logged in as, whose further logins need no place. Each entry takes about 400 bytes.
   */
  acceptedUsers: 8192,
  /**
   * Entries in the table of a gate that limits rates. A full table takes 15 MB. Fewer addresses attack a host within a
   * minute.
   */
  rateKeys: 131_072,
  /**
   * Refused connections in a tarpit: in total, of one client, and their duration in milliseconds. Each uses a file
   * descriptor.
   */
  tarpitConnections: 512,
  tarpitPerClient: 8,
  tarpitMs: 60_000,
  /** Share of global.max_connections that tarpits can use. */
  tarpitShare: 0.25,
  /**
   * Default share of global.max_connections that one of two or more services can use. When its upstream hangs, the
   * others keep connections.
   */
  serviceShare: 0.75,
  /**
   * Milliseconds until a connection attempt begins to watch whether its client closes. The watch costs a read, and most
   * attempts end earlier.
   */
  connectWatchMs: 250,
  /**
   * Milliseconds until the next address of an upstream is tried. The system sends a lost first packet again after this
   * time (RFC 6298 2).
   */
  addressMs: 1000,
  /** Pipes of the Linux data plane. A bulk transfer without a pipe is copied. */
  pipes: 64,
  /** Descriptors that are not for connections: 272 for each listener of the API, 128 for pipes, and some for files. */
  reservedDescriptors: 800,
} as const;
