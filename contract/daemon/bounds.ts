/**
 * Bounds on everything that a client, an upstream or a trusted proxy can make the daemon keep, with their reasons.
 * Bounds of files and policies are in contract/policy/limits.ts.
 */
export const daemonBounds = {
  /** Addresses in one list of the daemon file. They are looked up in a tree, so the bound is the time to read them at start. */
  listAddresses: 100_000,
  /**
   * Bytes of an unfinished line or message that an inspector keeps of each side. SMTP has the longest lines of the text
   * protocols: 12,288 for AUTH (RFC 4954 4).
   */
  inspectorPendingBytes: 16_384,
  /**
   * Bytes of a client's line in a text protocol. Dovecot accepts commands of this length, the longest of known servers.
   * The inspector keeps the first and the last bytes of a line.
   */
  clientLineBytes: 65_536,
  /**
   * Bytes of an FTP client's line, before and after a login. Servers parse the remainder of a longer line as another
   * command: inetutils after 511 bytes, pyftpdlib after 2,048. Names are short, paths can be long.
   */
  ftpLineBytes: { login: 510, session: 2048 },
  /** Bytes of a server's line. A response to IMAP SEARCH lists every message; a million of them take 8 MB. */
  serverLineBytes: 16 * 1024 * 1024,
  /** Bytes of the SSH version line with its end (RFC 4253 4.2). */
  sshVersionBytes: 255,
  /** Records of one ClientHello. Tools that hide the server name from a network split it into two to ten records. */
  helloRecords: 64,
  /**
   * Milliseconds until a server must respond to a ClientHello, for protocols that also allow clear text. Redis without
   * TLS does not respond at all. MongoDB's driver for Node waits 30 s.
   */
  tlsAnswerMs: 30_000,
  /** Length of an SSH packet before encryption. Every implementation must accept this size (RFC 4253 6.1). */
  sshPacketBytes: 35_000,
  /**
   * Encrypted bytes after which an SSH client has tried to log in. Measured with OpenSSH 9.2: requesting the methods
   * takes 104, and one key or password 244 to 412, depending on the cipher.
   */
  sshAttemptBytes: 160,
  /**
   * Encrypted bytes up to which an SSH server has probably refused every login. Measured, depending on the cipher: one
   * to six refusals took 512 to 1,252, and a shell took 1,868 or more. A command without output took 976 to 1,896, so a
   * short session is only a probable failure.
   */
  sshShortBytes: 1536,
  /** Milliseconds of an SSH session without a login. OpenSSH ends such a session after 120 seconds (LoginGraceTime). */
  sshShortMs: 125_000,
  /**
   * Commands of a connection that await a reply. Clients can pipeline mail to a thousand recipients (RFC 5321
   * 4.5.3.1.10 requires 100).
   */
  commandsInFlight: 1024,
  /** Bytes of the names in these commands, such as users and tags: 64 for each command. */
  commandsInFlightBytes: 65_536,
  /** Lines of an HTTP request head. Browsers send about 20, and Apache accepts 100. */
  httpHeadLines: 256,
  /**
   * Bytes of a value, and words of a command, of a Redis client. Both are the server's defaults (proto-max-bulk-len,
   * and 1024 * 1024 words).
   */
  redisValueBytes: 512 * 1024 * 1024,
  redisCommandWords: 1024 * 1024,
  /** Nesting of a Redis reply. COMMAND DOCS has about 10 levels; tables of scripts have more. */
  redisReplyDepth: 128,
  /** Bytes of an MQTT packet before the login: six fields of CONNECT with 65,537 bytes each, and properties. */
  mqttPacketBytes: 512 * 1024,
  /**
   * Facts with one name that a connection reports. A resolver sends thousands of queries on one connection, a portal
   * thousands of binds.
   */
  repeatedFacts: 16,
  /** Bytes of a request to an LDAP server. Active Directory accepts 10 MiB (MaxReceiveBuffer), OpenLDAP 4 MiB. */
  ldapRequestBytes: 16 * 1024 * 1024,
  /** Bytes of a MongoDB message: the limit of its servers (maxMessageSizeBytes). */
  mongodbMessageBytes: 48_000_000,
  /** Bytes of an FTP reply to PASV or EPSV. Known servers send less than 80. */
  ftpPassiveReplyBytes: 1024,
  /**
   * FTP data ports that await their client: in total and of one client. This is more than transfer managers open at
   * once.
   */
  ftpDataPorts: 1024,
  ftpDataPortsPerClient: 16,
  /** Ports of the range that are tried for one data port. Other processes can use any of them. */
  ftpDataPortTries: 64,
  /** Milliseconds that a data port waits for its client. This is the default of vsftpd (accept_timeout). */
  ftpDataPortMs: 60_000,
  /** Bytes of the reason that a VNC server sends with a refusal. Known servers send less than 200. */
  vncReasonBytes: 4096,
  /** Bytes of one fact. Names of hosts and users fit. */
  factBytes: 256,
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
  /** Bytes of one LAPI response. 100,000 decisions take 18 MB; three times as many fit. */
  feedAnswerBytes: 64 * 1024 * 1024,
  /** Bytes of one decision. Most have about 200; long scenarios have more. */
  feedDecisionBytes: 65_536,
  /**
   * Decisions in memory. The largest public lists have 70,000; this number of decisions takes 150 MB. It is a power of
   * two: V8 doubles the table of a Map beyond a power of two, which would block the thread for 50 ms.
   */
  feedDecisions: 2 ** 18,
  /**
   * Decisions of one address or network. CrowdSec has four types and at most one decision of each. When there are more,
   * bans and the longest decisions stay.
   */
  feedDecisionsPerPrefix: 16,
  /** Characters of a decision's type, origin and scenario that are kept. The LAPI's database limits names to 255. */
  feedTextCharacters: 255,
  /** Milliseconds for a complete response. A LAPI on a busy machine takes 3 s for 100,000 decisions. */
  feedAnswerMs: 60_000,
  /**
   * Milliseconds of the longest delay between two attempts while the LAPI fails. An operator waits this long after a
   * repair.
   */
  feedRetryMs: 30_000,
  /** Milliseconds between two messages that the feed is stale. Alerts depend on the repetition. */
  feedReminderMs: 60 * 60_000,
  /** Milliseconds between two full responses. Some removals appear only there, because no deletion is sent for them. */
  feedResyncMs: 15 * 60_000,
  /**
   * Milliseconds for which full responses must agree that more than half of the decisions are gone. The LAPI's database
   * can be restarted or restored meanwhile.
   */
  feedDoubtMs: 5 * 60_000,
  /**
   * Milliseconds between two writes of the decisions to disk. A write has 12 MB, and the LAPI has the decisions too.
   */
  feedSaveMs: 60_000,
  /**
   * Milliseconds that a start, a reload and a shutdown wait for the disk. Less than `closeMs`; 100,000 decisions take
   * half a second.
   */
  feedDiskMs: 5000,
  /** Milliseconds between two usage reports. This is the default of CrowdSec. */
  feedUsageMs: 30 * 60_000,
  /** Counters in one usage report. There is one for each origin, remediation and kind of address. */
  feedUsageItems: 256,
  /** Unsent bans for the LAPI: a minute of an attack from many addresses. */
  pushPending: 10_000,
  /**
   * Bytes by which the file of unsent bans grows before it is rewritten. Each ban takes 300, and one more line after it
   * was sent.
   */
  pushFileBytes: 4 * 1024 * 1024,
  /** Milliseconds between two attempts while the disk fails. */
  pushFileRetryMs: 1000,
  /** Bans in one push request. A separate request for each ban would be slower than a flood. */
  pushBatch: 50,
  /** Milliseconds until the LAPI must respond to a push request. */
  pushAnswerMs: 10_000,
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
  /**
   * Milliseconds for which the last addresses are used while lookups fail, and after which they replace a lookup that
   * hangs (RFC 8767 5).
   */
  nameStaleMs: 24 * 60 * 60_000,
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
   * Milliseconds until an attempt to one of several addresses of an upstream is followed by the next. A lost first
   * packet is sent again after a second (RFC 6298 2).
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
  /** Facts of one connection in the audit file. */
  connectionFacts: 32,
  /** Bytes of audit records that are queued for the disk: half a minute of a flood. Further records are dropped and counted. */
  auditQueueBytes: 4 * 1024 * 1024,
  /**
   * Equal refusals of one client that get separate records within auditFloodMs. Further refusals share one record with
   * a count. CrowdSec scenarios that count lines reach their limit earlier.
   */
  auditFloodFirst: 10,
  auditFloodMs: 10_000,
  /** Clients whose refusals are summarized. Refusals of further clients get separate records. */
  auditFloodKeys: 16_384,
  /** Distinct faults that are written within auditFloodMs. Further faults are only counted. */
  auditFaults: 64,
  /**
   * Milliseconds until a worker must have carried out an order, such as reading a configuration with long lists. After
   * that it is replaced.
   */
  workerAnswerMs: 30_000,
  /**
   * Heartbeats of a worker in milliseconds. `every` is the interval. A silence of `late` degrades /health, a silence of
   * `hung` replaces the worker.
   * The longest task of a worker is reading the longest configuration, which takes 0.2 s. While one of two workers
   * hangs, half of the new connections fail.
   */
  workerHeartbeatMs: { every: 1000, late: 2000, hung: 5000 },
  /**
   * Milliseconds until the first heartbeat of a new worker. It takes 0.2 s on an idle machine, and over 10 s on a
   * machine whose load is ten times its processors.
   */
  workerStartMs: 20_000,
  /**
   * Milliseconds until an ended worker is restarted: the first delay, and the longest delay when it ends repeatedly.
   */
  workerRestartMs: { first: 1000, most: 30_000 },
  /** Milliseconds within which a second crash of a worker makes it stop using the Linux data plane. */
  planeCrashMs: 60 * 60_000,
  /**
   * Milliseconds that an API response waits for workers to close banned connections and to report their counts. New
   * connections are already refused by then.
   */
  workerSettleMs: 1000,
  /** Milliseconds between two reports of a worker's counts. Unreported counts are lost when the worker ends. */
  workerCountMs: 250,
  /** Milliseconds in which an ending worker can send its last records. */
  workerEndMs: 2000,
  /**
   * Queued messages of a worker to the coordinator: some seconds of a flood. Further records are dropped and counted.
   */
  workerMessages: 16_384,
  /**
   * Former services that a reload moved or removed and that still have open connections: ten reloads of a hundred
   * services. Each keeps its configuration in memory.
   */
  earlierServices: 1024,
  /**
   * Bans, including expired bans that are kept to lengthen the next ban: about 150 bytes each, and five seconds of
   * reading at start.
   */
  bans: 1_000_000,
  /** Bytes of the reason of a ban: one or two lines of a terminal. */
  banReasonBytes: 256,
  /** Longest ban that is not permanent, milliseconds: 365 days. */
  banMs: 365 * 86_400_000,
  /** Shortest prefix of a banned network: /8 is 1/256 of IPv4, /32 is the smallest allocation of an IPv6 provider. */
  banPrefix: { 4: 8, 6: 32 },
  /** Changes in one transaction of the ban store. They take about ten milliseconds of its thread. */
  banCommitRecords: 1000,
  /**
   * Milliseconds between two transactions. With this short delay many bans share one disk flush. At this number of
   * pending changes a transaction starts immediately.
   */
  banCommitMs: 2,
  banCommitPrompt: 100,
  /**
   * Entries of one kernel map. Bans have two maps and the feed has two. The largest public lists have 70,000 entries;
   * this number takes 12 MB. The process enforces further entries itself.
   */
  kernelBanEntries: 131_072,
  /** Services with kernel bans: their counters take 24 bytes each. */
  kernelBanServices: 1024,
  /**
   * Milliseconds between two readings of the kernel's counters, and the number of addresses that are counted separately
   * in between. The audit can write that many records.
   */
  kernelBanCountMs: 1000,
  kernelBanCounts: 1024,
  /** Milliseconds until filters that were removed are set again: the first delay, and the longest when the kernel refuses repeatedly. */
  kernelBanRestartMs: { first: 1000, most: 60_000 },
  /**
   * Milliseconds for which the filter on a service manager's socket stays active after its daemon has ended or hung.
   */
  kernelBanLeaseMs: 10_000,
  /**
   * Lifted bans whose time is kept, about 200 bytes each. A script that lifts a list fits; a person lifts fewer within
   * a failure window.
   */
  lifts: 4096,
  /** Milliseconds until a failing ban store is retried: the first delay, and the longest delay. */
  banRetryMs: { first: 1000, most: 30_000 },
  /**
   * Milliseconds without a disk response until the ban store counts as failed. Loading is silent while the store is
   * checked; a million bans took 3 s.
   */
  banStallMs: { write: 5000, load: 10_000 },
  /**
   * Milliseconds that a shutdown waits for everything except connections. A disk that does not respond would block it
   * forever.
   */
  closeMs: 10_000,
  /**
   * Milliseconds between two checks of the ban store's files while no ban is written. Every transaction also checks
   * them.
   */
  banCheckMs: 10_000,
  /**
   * Milliseconds by which the wall clock and the monotonic clock must diverge between two checks to count as a clock
   * change. A busy machine delays the two readings by less.
   */
  clockStepMs: 2000,
  /** Bans that expire in one turn of the event loop. Each expiry is reported to listeners and to the store. */
  bansEndedAtOnce: 5000,
  /**
   * Addresses and IPv6 networks with counted failures, and /64 networks with counted bans. Each takes about 300 bytes.
   */
  failureAddresses: 100_000,
  /**
   * Milliseconds for which the ban of an address counts for its /48, at most. With a shorter `ban_duration` it is that
   * duration.
   */
  siteBansMs: 86_400_000,
  /** Milliseconds between two sweeps for expired failure windows. A sweep of 100,000 takes some milliseconds. */
  failureSweepMs: 10_000,
  /** Points in time of one failure count. Failures within a fraction of the window share one point. */
  failureMarks: 64,
  /**
   * Addresses of one IPv6 /64 that are counted separately, and that are banned before the network is banned. Further
   * addresses count as the network.
   */
  failureAddressesPerNetwork: 8,
  /**
   * Bytes of a GeoIP database, which every process keeps in memory. City databases have up to 130 MB, the largest
   * commercial ones a few hundred.
   */
  geoDatabaseBytes: 512 * 1024 * 1024,
  /** Bytes of a line that can be a gateway event. Events have at most 4,096; other programs write longer lines. */
  intakeLineBytes: 16_384,
  /** Milliseconds between two polls of the event files. A scanner sends about a dozen requests in that time. */
  intakePollMs: 250,
  /** Milliseconds that a start or a reload waits for the first read of the event files. */
  intakeFirstMs: 1000,
  /** Bytes of one file per read, so that connections are served between two reads. */
  intakeReadBytes: 65_536,
  /**
   * Milliseconds for which a renamed file is still read. Gateways write to it until a signal makes them reopen their
   * file.
   */
  intakeRenamedMs: 10_000,
  /** Files of a folder that are searched for a renamed file. */
  intakeFolderFiles: 10_000,
} as const;
