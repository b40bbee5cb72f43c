/**
 * The bounds on everything that a client, an upstream or a trusted proxy can make the daemon hold, with their reasons. Bounds
 * of files and policies are in contract/policy/limits.ts.
 */
export const daemonBounds = {
  /** Bytes of an unfinished line or message that an inspector keeps of each side: SMTP allows lines of 12,288 for AUTH (RFC 4954 4), the longest of the text protocols. */
  inspectorPendingBytes: 16_384,
  /** Bytes of a client's line in a text protocol, of which the first and the last are kept: the limit of Dovecot for one command, the highest of known servers. */
  clientLineBytes: 65_536,
  /**
   * Bytes of an FTP client's line, before and after a login. Servers take the remainder of a longer one for another command:
   * inetutils behind 511 bytes, pyftpdlib behind 2,048. A name is short, a path is not.
   */
  ftpLineBytes: { login: 510, session: 2048 },
  /** Bytes of a server's line: a response to IMAP SEARCH lists every message, and a million of them take 8 MB. */
  serverLineBytes: 16 * 1024 * 1024,
  /** Bytes of the SSH version line with its end (RFC 4253 4.2). */
  sshVersionBytes: 255,
  /** Records of one ClientHello: tools that hide its server name from a network use two to ten. */
  helloRecords: 64,
  /**
   * Milliseconds in which a server has to answer a ClientHello where its clients can also use clear text. Redis without TLS does not
   * answer at all. MongoDB's driver for Node waits 30 s.
   */
  tlsAnswerMs: 30_000,
  /** Length of an SSH packet before encryption: the size that every implementation has to accept (RFC 4253 6.1). */
  sshPacketBytes: 35_000,
  /**
   * Encrypted bytes of an SSH client that tried to log in. Measured with OpenSSH 9.2: requesting the methods takes
   * 104, and one key or password 244 to 412, by cipher.
   */
  sshAttemptBytes: 160,
  /**
   * Encrypted bytes of an SSH server that refused every login: one to six refusals took 512 to 1,252 and a shell 1,868 or more, by
   * cipher; a command without output took 976 to 1,896, which is why short sessions are only probable failures.
   */
  sshShortBytes: 1536,
  /** Milliseconds of an SSH session without a login: OpenSSH ends one after 120 seconds (LoginGraceTime). */
  sshShortMs: 125_000,
  /** Commands of a connection without a reply so far. Mail to a thousand recipients can be pipelined (RFC 5321 4.5.3.1.10 requires 100). */
  commandsInFlight: 1024,
  /** Bytes of the names in these commands, such as users and tags: 64 for each. */
  commandsInFlightBytes: 65_536,
  /** Lines of the head of an HTTP request: browsers send about 20, and Apache accepts 100. */
  httpHeadLines: 256,
  /** Bytes of a value, and words of a command, of a Redis client: the server's defaults (proto-max-bulk-len, and 1024 * 1024 words). */
  redisValueBytes: 512 * 1024 * 1024,
  redisCommandWords: 1024 * 1024,
  /** Nesting of a Redis reply: COMMAND DOCS has about 10 levels, tables of scripts more. */
  redisReplyDepth: 128,
  /** Bytes of an MQTT packet before the login: six fields of CONNECT with 65,537 each, and properties. */
  mqttPacketBytes: 512 * 1024,
  /** Facts of one name that a connection reports: a resolver sends thousands of queries on one connection, a portal thousands of binds. */
  repeatedFacts: 16,
  /** Bytes of a request to an LDAP server: Active Directory accepts 10 MiB (MaxReceiveBuffer), OpenLDAP 4 MiB. */
  ldapRequestBytes: 16 * 1024 * 1024,
  /** Bytes of a MongoDB message: the limit of its servers (maxMessageSizeBytes). */
  mongodbMessageBytes: 48_000_000,
  /** Bytes of an FTP reply to PASV or EPSV: known servers send less than 80. */
  ftpPassiveReplyBytes: 1024,
  /** Data ports of FTP that wait for their client: in total and of one client. More than transfer managers open at once. */
  ftpDataPorts: 1024,
  ftpDataPortsPerClient: 16,
  /** Ports of the range that are tried for one of them, of which other processes can use any. */
  ftpDataPortTries: 64,
  /** Milliseconds that a data port waits for its client: the default of vsftpd (accept_timeout). */
  ftpDataPortMs: 60_000,
  /** Bytes of the reason that a VNC server sends with a refusal: known servers send less than 200. */
  vncReasonBytes: 4096,
  /** Bytes of one fact: enough for names of hosts and users. */
  factBytes: 256,
  /** Bytes of a request body of the management API: the longest valid one has less than 1 KiB. */
  apiBodyBytes: 65_536,
  /** Bytes of its request line and headers, and their number: browsers send about 2 KB in 20 headers. */
  apiHeadBytes: 8192,
  apiHeaders: 64,
  /** Milliseconds in which the headers, and the whole request, have to arrive: clients are on the same network. */
  apiHeadMs: 5000,
  apiRequestMs: 10_000,
  /** Milliseconds that an idle API connection is kept: longer than the pause of a scraper between two requests. */
  apiIdleMs: 15_000,
  /** Milliseconds without a byte in either direction, such as with a client that does not read. Heartbeats count as bytes. */
  apiStallMs: 30_000,
  /** Requests of one connection that wait for an earlier response. */
  apiPipelined: 64,
  /** Open connections of each API listener: 64 readers of events, scrapers and tools, and a reserve. */
  apiConnections: 256,
  /** Connections beyond them while every one has a request in progress, on which only /health and /ping are served. */
  apiReserved: 16,
  /** Request rate and burst of one API connection, and of all connections of a client. Scripts that ban lists fit: 2,000 bans per second are stored. */
  apiConnectionRate: { perSecond: 500, burst: 1000 },
  apiTotalRate: { perSecond: 2500, burst: 5000 },
  /** Addresses without the token that have separate rates. */
  apiClients: 4096,
  /** Concurrent readers of the event stream. */
  apiReaders: 64,
  /** Milliseconds that a reader of events does not read until another one may take its place. */
  apiReaderStallMs: 2000,
  /** Events, and their bytes, that are kept for reconnecting and slow readers: some minutes of a busy service. */
  apiEvents: 4096,
  apiEventsBytes: 4 * 1024 * 1024,
  /** Milliseconds between two comments that keep the stream open through proxies. */
  apiHeartbeatMs: 15_000,
  /** Bytes of one LAPI response: 100,000 decisions have 18 MB, and three times as many fit. */
  feedAnswerBytes: 64 * 1024 * 1024,
  /** Bytes of one decision: usually about 200, with a reserve for long scenarios. */
  feedDecisionBytes: 65_536,
  /**
   * Decisions in memory: the largest public lists have 70,000, and this many take 150 MB. It is a power of two, because a Map of V8
   * doubles behind one, which holds the thread for 50 ms here.
   */
  feedDecisions: 2 ** 18,
  /** Decisions of one address or network: CrowdSec has one of each type, and four types. Bans and the longest ones stay. */
  feedDecisionsPerPrefix: 16,
  /** Characters of a decision's type, origin and scenario that are kept: the LAPI's database limits names to 255. */
  feedTextCharacters: 255,
  /** Milliseconds for a complete response: 100,000 decisions take a LAPI on a busy machine 3 s. */
  feedAnswerMs: 60_000,
  /** Longest delay between two attempts while the LAPI fails, milliseconds: the time that an operator waits after a repair. */
  feedRetryMs: 30_000,
  /** Milliseconds between two messages that the feed is stale. Alerts rely on it. */
  feedReminderMs: 60 * 60_000,
  /** Milliseconds between two full responses: removals without a deletion show only there. */
  feedResyncMs: 15 * 60_000,
  /** Milliseconds over which full responses have to agree that more than half of the decisions are gone: the LAPI's database can be restarted or restored meanwhile. */
  feedDoubtMs: 5 * 60_000,
  /** Milliseconds between two writes of the decisions to disk: they take 12 MB, and the LAPI has them too. */
  feedSaveMs: 60_000,
  /** Milliseconds that a start, a reload and a shutdown wait for the disk, less than `closeMs`: 100,000 decisions take half a second. */
  feedDiskMs: 5000,
  /** Milliseconds between two usage reports: the default of CrowdSec. */
  feedUsageMs: 30 * 60_000,
  /** Counters in one usage report: by origin, remediation and kind of address. */
  feedUsageItems: 256,
  /** Unsent bans for the LAPI: a minute of an attack from many addresses. */
  pushPending: 10_000,
  /** Bytes by which their file grows before it is rewritten: each ban takes 300, and another line after it was sent. */
  pushFileBytes: 4 * 1024 * 1024,
  /** Milliseconds between two attempts while the disk fails. */
  pushFileRetryMs: 1000,
  /** Bans in one push request: one request for each ban would be slower than a flood. */
  pushBatch: 50,
  /** Milliseconds for one request of push. */
  pushAnswerMs: 10_000,
  /** First bytes of a client that are inspected before the upstream is connected: enough for the headers of a request and a ClientHello with post-quantum keys. */
  firstBytes: 16_384,
  /** Bytes of a PROXY header of version 2 after its fixed part: enough for the names of a client certificate and cloud identifiers. */
  proxyHeaderBytes: 4096,
  /** Bytes that fit into one TCP segment where a peer names no larger one (MSS, RFC 9293, 3.7.1). */
  segmentBytes: 536,
  /** Chunks of one direction that are queued for a slow reader before reading pauses: in bulk transfers, one has 64 KiB. */
  relayChunks: 64,
  /** Milliseconds that a client may continue to send after its upstream has responded and closed, so that it can read the response. */
  lingerMs: 5000,
  /** Milliseconds that the addresses of a named upstream count: as long as a client that reconnects after a failover should wait. The system does not report their lifetime. */
  nameMs: 10_000,
  /** Milliseconds that a failed lookup counts, so that each connection does not start one. */
  nameFailureMs: 1000,
  /** Milliseconds that the last addresses are used while lookups fail, and after which they replace one that hangs (RFC 8767 5). */
  nameStaleMs: 24 * 60 * 60_000,
  namePatienceMs: 1800,
  /** Names: there is one for each service with a named upstream. */
  names: 4096,
  /** Milliseconds between two checks of a half-closed side: its reset is not noticed otherwise, and it would occupy its slot until the idle limit. */
  halfClosedMs: 1000,
  /** New connections of a client with failed logins, per minute and at once: enough for a person who mistypes, and the usual number before a ban. */
  failureRate: { perMinute: 30, burst: 10 },
  /** Clients in one table of a gate: about 15 MB, and more addresses than attack a host within a minute. */
  rateKeys: 131_072,
  /** Refused connections in a tarpit: in total, of one client, and for how many milliseconds. Each uses a descriptor. */
  tarpitConnections: 512,
  tarpitPerClient: 8,
  tarpitMs: 60_000,
  /** What a tarpit holds at most of global.max_connections, of which its connections are a part: refused clients leave places for the others. */
  tarpitShare: 0.25,
  /** What one of several services gets of global.max_connections, unless its max_connections says otherwise: one whose upstream hangs leaves places for the others. */
  serviceShare: 0.75,
  /** Milliseconds until a connection attempt watches whether its client closes. Most are over before, and reading is not free. */
  connectWatchMs: 250,
  /** Milliseconds that one of several addresses of an upstream is tried before the next: a lost first packet is sent again after a second (RFC 6298 2). */
  addressMs: 1000,
  /** Pipes of the Linux data plane. Bulk transfers without one are copied, so that readers that stall take no descriptors from others. */
  pipes: 64,
  /** Descriptors reserved for other uses than connections: 272 for each of the two listeners of the API, 128 for pipes, and listeners, files and threads. */
  reservedDescriptors: 800,
  /** Facts of one connection in the audit. */
  connectionFacts: 32,
  /** Bytes of audit records that are queued for the disk: half a minute of a flood. Further records are dropped and counted. */
  auditQueueBytes: 4 * 1024 * 1024,
  /** Equal refusals of one client that are written separately within auditFloodMs. Further ones become one record with a count. CrowdSec scenarios that count lines reach their limit before. */
  auditFloodFirst: 10,
  auditFloodMs: 10_000,
  /** Clients whose refusals are summarized. Refusals of others are written separately. */
  auditFloodKeys: 16_384,
  /** Different faults that are written within auditFloodMs. Others are only counted. */
  auditFaults: 64,
  /** Milliseconds that a worker has to carry out an order, such as reading a configuration with long lists. Then it is replaced. */
  workerAnswerMs: 30_000,
  /**
   * Heartbeats of a worker, milliseconds: `every`: the interval; `late`: the silence that degrades /health; `hung`: the silence
   * after which the worker is replaced.
   * The longest task of a worker, reading the longest configuration, takes 0.2 s. Half of the new connections fail while one of two workers hangs.
   */
  workerHeartbeatMs: { every: 1000, late: 2000, hung: 5000 },
  /** Milliseconds until the first heartbeat of a worker that is started: 0.2 s on an idle machine, over 10 s on one whose load is ten times its processors. */
  workerStartMs: 20_000,
  /** Milliseconds until an ended worker is restarted: the first delay, and the longest when it ends repeatedly. */
  workerRestartMs: { first: 1000, most: 30_000 },
  /** Milliseconds within which a second crash of a worker in the Linux data plane ends the use of that plane. */
  planeCrashMs: 60 * 60_000,
  /** Milliseconds that an API response waits for workers to cut connections that a ban covers, and for their counts. New connections are already refused. */
  workerSettleMs: 1000,
  /** Milliseconds between two reports of a worker's counts. Unreported counts are lost when it ends. */
  workerCountMs: 250,
  /** Milliseconds that a worker has to send its last records before it ends. */
  workerEndMs: 2000,
  /** Queued messages of a worker to the coordinator, beyond which records are dropped and counted: some seconds of a flood. */
  workerMessages: 16_384,
  /** Services that a reload moved or removed, of which connections of workers are still open: ten reloads of a hundred services. Each keeps its configuration in memory. */
  earlierServices: 1024,
  /** Bans, including ended ones that are remembered for growth: about 150 bytes each, and five seconds of reading at start. */
  bans: 1_000_000,
  /** Bytes of the reason of a ban: one or two lines of a terminal. */
  banReasonBytes: 256,
  /** Longest ban that is not permanent, milliseconds: 365 days. */
  banMs: 365 * 86_400_000,
  /** Shortest prefix of a banned network: /8 is 1/256 of IPv4, /32 is the smallest allocation of an IPv6 provider. */
  banPrefix: { 4: 8, 6: 32 },
  /** Changes in one transaction of the ban store: about ten milliseconds of its thread. */
  banCommitRecords: 1000,
  /** Milliseconds from one transaction to the next: many bans share a disk flush with little delay. At this many pending changes a transaction starts at once. */
  banCommitMs: 2,
  banCommitPrompt: 100,
  /** Entries of one map of the kernel, of which bans and the feed have two each: the largest public lists have 70,000, and this many take 12 MB. Others are enforced in this process. */
  kernelBanEntries: 131_072,
  /** Services with kernel bans: their counters take 24 bytes each. */
  kernelBanServices: 1024,
  /** Milliseconds between two readings of the kernel's counters, and the addresses that are counted separately meanwhile: as many records as the audit writes easily. */
  kernelBanCountMs: 1000,
  kernelBanCounts: 1024,
  /** Milliseconds until filters that were removed are set again: the first delay, and the longest when the kernel refuses repeatedly. */
  kernelBanRestartMs: { first: 1000, most: 60_000 },
  /** Milliseconds that the filter of a service manager's socket enforces after its daemon has ended or hung. */
  kernelBanLeaseMs: 10_000,
  /** Lifted bans whose time is remembered, about 200 bytes each: a script that lifts a list, and more than a person lifts within a failure window. */
  lifts: 4096,
  /** Milliseconds until a failing ban store is retried: the first delay, and the longest. */
  banRetryMs: { first: 1000, most: 30_000 },
  /** Milliseconds without a response of the disk after which the ban store counts as failed. Loading is silent while the store is checked: a million bans took 3 s. */
  banStallMs: { write: 5000, load: 10_000 },
  /** Milliseconds that everything but connections has to end at shutdown. A disk that does not respond would hold it forever. */
  closeMs: 10_000,
  /** Milliseconds between two checks of the ban store's files while no ban is written. Every transaction checks them too. */
  banCheckMs: 10_000,
  /** Milliseconds by which the wall clock differs from the monotonic one between two checks when it was set: more than a busy machine delays a reading of both. */
  clockStepMs: 2000,
  /** Bans that expire in one turn of the event loop: each is reported to listeners and to the store. */
  bansEndedAtOnce: 5000,
  /** Addresses and IPv6 networks with counted failures, and /64 networks with counted bans: about 300 bytes each. */
  failureAddresses: 100_000,
  /** Longest time for which the ban of an address counts for its /48, milliseconds. With shorter bans it is `ban_duration`. */
  siteBansMs: 86_400_000,
  /** Milliseconds between two checks of all of them for windows that are over: 100,000 take some milliseconds. */
  failureSweepMs: 10_000,
  /** Points in time of one count: failures closer to each other than a fraction of the window share one. */
  failureMarks: 64,
  /** Addresses of one IPv6 /64 that are counted separately, and that are banned before the network is. Others count as the network. */
  failureAddressesPerNetwork: 8,
  /** Bytes of a GeoIP database, which every process holds in memory: databases of cities have up to 130 MB, the largest commercial ones a few hundred. */
  geoDatabaseBytes: 512 * 1024 * 1024,
  /** Bytes of a line that can be a gateway event: events have at most 4,096, and other programs write longer lines. */
  intakeLineBytes: 16_384,
  /** Milliseconds between two polls of the event files: a scanner sends about a dozen requests meanwhile. */
  intakePollMs: 250,
  /** Milliseconds that a start or a reload waits until the event files were read once. */
  intakeFirstMs: 1000,
  /** Bytes of one file in one read, so that connections are served in between. */
  intakeReadBytes: 65_536,
  /** Milliseconds during which a renamed file is still read: gateways write to it until they are signaled to reopen. */
  intakeRenamedMs: 10_000,
  /** Files in a folder that are searched for a renamed one. */
  intakeFolderFiles: 10_000,
} as const;
