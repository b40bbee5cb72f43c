/**
 * Every bound on what a client, an upstream or a trusted proxy can make the daemon hold, each with its reason. Bounds of files
 * and policies are in contract/policy/limits.ts.
 */
export const daemonBounds = {
  /** Bytes of an unfinished line or message that an inspector keeps of each side: SMTP allows lines of 12,288 for AUTH (RFC 4954 4), the longest of the text protocols. */
  inspectorPendingBytes: 16_384,
  /** Bytes of a client's line in a text protocol, of which the first and the last are kept: what Dovecot takes for one command, the most of the servers known. */
  clientLineBytes: 65_536,
  /** Bytes of a server's line: an answer to IMAP SEARCH names every message, and a million of them make 8 MB. */
  serverLineBytes: 16 * 1024 * 1024,
  /** Bytes of the version line of SSH, its end included (RFC 4253 4.2). */
  sshVersionBytes: 255,
  /** Records over which a ClientHello may be spread: tools that hide its name from a network use two to ten. */
  helloRecords: 64,
  /** Length of an SSH packet before encryption: what every implementation has to take (RFC 4253 6.1). */
  sshPacketBytes: 35_000,
  /**
   * Encrypted bytes of an SSH client that tried to log in. Measured with OpenSSH 9.2: asking which methods there are takes
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
  /** Commands of a connection whose reply is awaited. Mail to a thousand recipients is pipelined in one go (RFC 5321 4.5.3.1.10 asks for 100). */
  commandsInFlight: 1024,
  /** Bytes of a value, and words of a command, that a client of Redis may send: the server's defaults (proto-max-bulk-len, and 1024 * 1024 words). */
  redisValueBytes: 512 * 1024 * 1024,
  redisCommandWords: 1024 * 1024,
  /** How deep a reply of Redis nests: COMMAND DOCS goes to about 10, tables of scripts further. */
  redisReplyDepth: 128,
  /** Bytes of a packet of MQTT before the login is done: six fields of CONNECT have 65,537 each, with room for properties. */
  mqttPacketBytes: 512 * 1024,
  /** Facts of one name that a connection reports: a resolver sends thousands of questions on one, a portal binds as often. */
  repeatedFacts: 16,
  /** Bytes of a request to an LDAP server: Active Directory takes 10 MiB (MaxReceiveBuffer), OpenLDAP 4 MiB. */
  ldapRequestBytes: 16 * 1024 * 1024,
  /** Bytes of a message of MongoDB: what its servers take (maxMessageSizeBytes). */
  mongodbMessageBytes: 48_000_000,
  /** Bytes of the sentence in which a VNC server says why it refuses: known servers write less than 200. */
  vncReasonBytes: 4096,
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
  /** Milliseconds without a byte in either direction, such as with a client that does not read its answer; heartbeats are bytes. */
  apiStallMs: 30_000,
  /** Requests of one connection that wait for the answer before them. */
  apiPipelined: 64,
  /** Connections to it at once and listener: 64 readers of events, scrapers and tools, with room. */
  apiConnections: 256,
  /** Requests to it, a second and at once: of one connection, and of all of who asks. Scripts that ban lists fit: 2,000 bans a second are stored. */
  apiConnectionRate: { perSecond: 500, burst: 1000 },
  apiTotalRate: { perSecond: 2500, burst: 5000 },
  /** Addresses without the token whose requests are counted apart. */
  apiClients: 4096,
  /** Readers of its event stream at once. */
  apiReaders: 64,
  /** Events, and bytes of them, that are kept for readers that come back or are slow: some minutes of a busy service. */
  apiEvents: 4096,
  apiEventsBytes: 4 * 1024 * 1024,
  /** Milliseconds between two comments that keep the stream alive through proxies; a reader that takes none of one is gone. */
  apiHeartbeatMs: 15_000,
  /** Bytes of one answer of the decision service: 100,000 decisions have 18 MB, and there is room for three times as many. */
  feedAnswerBytes: 64 * 1024 * 1024,
  /** Bytes of one decision: about 200, and a scenario that is a story still fits. */
  feedDecisionBytes: 65_536,
  /** Decisions that are held: the largest public lists have 70,000, and this many take 150 MB. */
  feedDecisions: 300_000,
  /** Characters of a decision's type, origin and scenario that are kept; the service's own database ends names at 255. */
  feedTextCharacters: 255,
  /** Milliseconds for a whole answer: 100,000 decisions take a service on a busy machine 3 s. */
  feedAnswerMs: 60_000,
  /** Milliseconds between two tries at most while the service does not answer: what an operator waits after a repair. */
  feedRetryMs: 30_000,
  /** Milliseconds between two full answers: decisions that were erased leave no other trace. */
  feedResyncMs: 15 * 60_000,
  /** Milliseconds in which full answers have to agree that more than half of what is held is gone: the service's database may be restarted or restored meanwhile. */
  feedDoubtMs: 5 * 60_000,
  /** Milliseconds between two writes of the held decisions to disk: they have 12 MB, and the service knows them too. */
  feedSaveMs: 60_000,
  /** Milliseconds between two reports of usage: the service's own default. */
  feedUsageMs: 30 * 60_000,
  /** Different counters in one report of usage: by origin, remediation and kind of address. */
  feedUsageItems: 256,
  /** Own bans that wait to be sent to the decision service: a minute of an attack by many addresses. */
  pushPending: 10_000,
  /** Bytes by which their file grows before it is rewritten: each ban takes 300, and one more line when it was sent. */
  pushFileBytes: 4 * 1024 * 1024,
  /** Milliseconds between two tries while the disk does not take them. */
  pushFileRetryMs: 1000,
  /** Of them in one request: a login and an answer for each would be slower than a flood. */
  pushBatch: 50,
  /** Milliseconds for one request of push. */
  pushAnswerMs: 10_000,
  /** First bytes of a client that are awaited before the upstream is connected to: headers of a request and a ClientHello with post-quantum keys fit. */
  firstBytes: 16_384,
  /** Bytes of a PROXY header of version 2 after its fixed part: names of a client certificate and identifiers of clouds fit. */
  proxyHeaderBytes: 4096,
  /** Chunks of one direction that wait for a slow reader before no more are read: in bulk, one has 64 KiB. */
  relayChunks: 64,
  /** Milliseconds that a client may go on sending after its upstream has answered and gone, so that it can read the answer. */
  lingerMs: 5000,
  /** Milliseconds between two looks at whether a side that has said its end is still there: a reset of it shows in no other way, and it would hold its place until the idle limit. */
  halfClosedMs: 1000,
  /** New connections of a client whose logins fail, a minute and at once: a person who mistypes, and the usual number before a ban. */
  failureRate: { perMinute: 30, burst: 10 },
  /** Clients that one table of a gate remembers: some 15 MB, and more addresses than attack a machine within a minute. */
  rateKeys: 131_072,
  /** Refused connections that are held in a tarpit: in all, of one client, and for how many milliseconds. Each costs a descriptor. */
  tarpitConnections: 512,
  tarpitPerClient: 8,
  tarpitMs: 60_000,
  /** Descriptors kept free of connections: 256 on each of the two listeners of the API, and listeners, files and threads. */
  reservedDescriptors: 640,
  /** Facts of a connection that the audit keeps. */
  connectionFacts: 32,
  /** Bytes of audit records that wait for the disk: half a minute of a flood. What comes then is counted and dropped. */
  auditQueueBytes: 4 * 1024 * 1024,
  /** Equal blocks of one client that are written one by one within auditFloodMs; further ones become one record with a count. Scenarios that count lines have seen enough by then. */
  auditFloodFirst: 10,
  auditFloodMs: 10_000,
  /** Clients whose blocks are summed at once; blocks of others are written as they come. */
  auditFloodKeys: 16_384,
  /** Different faults that are said within auditFloodMs; of others only how many there were. */
  auditFaults: 64,
  /** Milliseconds that connections get to end after SIGTERM: container runtimes kill after ten seconds. */
  drainMs: 8000,
  /** Milliseconds that a worker gets to carry out an order, such as reading a configuration with long lists; after that it is replaced. */
  workerAnswerMs: 30_000,
  /**
   * Milliseconds between two heartbeats of a worker, and without one until /health is degraded and until the worker is replaced.
   * What a worker does in one go, such as reading the longest configuration, takes 0.2 s; half of the new connections fail meanwhile.
   */
  workerHeartbeatMs: { every: 1000, late: 2000, hung: 5000 },
  /** Milliseconds until the first heartbeat of a worker that is started: 0.2 s on an idle machine, and room for an overloaded one. */
  workerStartMs: 10_000,
  /** Milliseconds until a worker that ended is restarted: the first delay, and the longest one when it keeps ending. */
  workerRestartMs: { first: 1000, most: 30_000 },
  /** Milliseconds that an answer of the API waits for workers: to cut what a ban covers, where new connections are refused already, and for their counts. */
  workerSettleMs: 1000,
  /** Milliseconds between two reports of a worker's counts: what is lost of them when it ends. */
  workerCountMs: 250,
  /** Milliseconds that a worker has to hand over its last records when it is to end. */
  workerEndMs: 2000,
  /** Messages to the first process that wait in a worker, past which records are dropped and counted: some seconds of a flood. */
  workerMessages: 16_384,
  /** Bans, and ended ones that are remembered for growth: about 150 bytes each, and five seconds of reading at start. */
  bans: 1_000_000,
  /** Bytes of the reason of a ban: a line of a terminal or two. */
  banReasonBytes: 256,
  /** Longest ban, milliseconds, 365 days; what is to last longer is permanent. */
  banMs: 365 * 86_400_000,
  /** Shortest prefix of a banned network: /8 is 1/256 of IPv4, /32 is the smallest allocation of an IPv6 provider. */
  banPrefix: { 4: 8, 6: 32 },
  /** Changes of one transaction of the ban store: some ten milliseconds of its thread. */
  banCommitRecords: 1000,
  /** Milliseconds from one transaction to the next: many bans share a disk flush, and a caller hardly waits. At this many waiting changes a transaction starts at once. */
  banCommitMs: 2,
  banCommitPrompt: 100,
  /** Milliseconds until a failing ban store is tried again: at first, and at most. */
  banRetryMs: { first: 1000, most: 30_000 },
  /** Milliseconds from one check of the ban store's files to the next while no ban is written; every transaction checks them. */
  banCheckMs: 10_000,
  /** Bans that end in one turn of the event loop: each is reported to listeners and to the store. */
  bansEndedAtOnce: 5000,
  /** Addresses whose failures are counted, and IPv6 networks whose bans are: about 300 bytes each. */
  failureAddresses: 100_000,
  /** Points in time that are kept per count: failures closer than a part of the window share one. */
  failureMarks: 64,
  /** Addresses of one IPv6 /64 that are counted apart, and that are banned before the network is; further ones count as it. */
  failureAddressesPerNetwork: 8,
  /** Bytes of a line that may be an event of a gateway: they have 4,096 at most, other programs write longer ones. */
  intakeLineBytes: 16_384,
  /** Milliseconds between two looks at the event files: what a scanner sends meanwhile is a dozen requests. */
  intakePollMs: 250,
  /** Bytes of one file that are read in one go, so that connections get their turn. */
  intakeReadBytes: 65_536,
  /** Milliseconds during which a renamed file is still read: gateways keep writing to it until they are signaled to reopen. */
  intakeRenamedMs: 10_000,
  /** Files of a folder among which a renamed one is looked for. */
  intakeFolderFiles: 10_000,
} as const;
