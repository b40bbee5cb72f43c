/** Bounds of inspectors. */
export const inspectionBounds = {
  /** Bytes of an unfinished line or message. SMTP has the longest lines: 12,288 for AUTH (RFC 4954 4). */
  inspectorPendingBytes: 16_384,
  /**
   * Bytes of a line of a client. Dovecot accepts the longest commands of known servers. Only the ends of a line are
   * kept.
   */
  clientLineBytes: 65_536,
  /**
   * Bytes of a line of an FTP client. Servers parse the remainder as another command: inetutils after 511 bytes,
   * pyftpdlib after 2,048.
   */
  ftpLineBytes: { login: 510, session: 2048 },
  /** Bytes of a line of a server. IMAP SEARCH lists every message: a million take 8 MB. */
  serverLineBytes: 16 * 1024 * 1024,
  /** Bytes of the SSH version line with its end (RFC 4253 4.2). */
  sshVersionBytes: 255,
  /** Records of one ClientHello. Tools that hide the server name make two to ten. */
  helloRecords: 64,
  /**
   * Milliseconds for the response to a ClientHello where clear text is allowed too. The driver of MongoDB waits 30 s.
   */
  tlsAnswerMs: 30_000,
  /** Bytes of a packet. Every implementation must accept this size (RFC 4253 6.1). */
  sshPacketBytes: 35_000,
  /**
   * Encrypted bytes of an SSH client that has tried to log in. With OpenSSH 9.2, requesting the methods takes 104, and
   * one key or password 244 to 412.
   */
  sshAttemptBytes: 160,
  /**
   * Encrypted bytes up to which an SSH server has probably refused every login. One to six refusals took 512 to 1,252,
   * a shell 1,868 or more, and a command without output 976 to 1,896.
   */
  sshShortBytes: 1536,
  /** OpenSSH ends a session without a login after 120 seconds (LoginGraceTime). */
  sshShortMs: 125_000,
  /**
   * Commands that await a reply. Clients can pipeline mail to a thousand recipients (RFC 5321 4.5.3.1.10 requires 100).
   */
  commandsInFlight: 1024,
  /** Bytes of names in commands that await a reply: 64 for each. */
  commandsInFlightBytes: 65_536,
  /** Lines of a request head. Browsers send about 20, and Apache accepts 100. */
  httpHeadLines: 256,
  /** Defaults of Redis: proto-max-bulk-len, and 1024 * 1024 words. */
  redisValueBytes: 512 * 1024 * 1024,
  redisCommandWords: 1024 * 1024,
  /** Nesting of a reply. COMMAND DOCS has about 10 levels; tables of scripts have more. */
  redisReplyDepth: 128,
  /** Bytes of a packet before the login: six fields of CONNECT with 65,537 bytes each, and properties. */
  mqttPacketBytes: 512 * 1024,
  /** Facts with one name. A resolver sends thousands of queries on one connection. */
  repeatedFacts: 16,
  /** Active Directory accepts 10 MiB (MaxReceiveBuffer), OpenLDAP 4 MiB. */
  ldapRequestBytes: 16 * 1024 * 1024,
  /** Bytes of a message: the limit of MongoDB's servers (maxMessageSizeBytes). */
  mongodbMessageBytes: 48_000_000,
  /** Bytes of a reply to PASV or EPSV. Known servers send less than 80. */
  ftpPassiveReplyBytes: 1024,
  /** FTP data ports that await their client: more than transfer managers open at once. */
  ftpDataPorts: 1024,
  ftpDataPortsPerClient: 16,
  /** Ports that are tried for one data port. Other processes can use them. */
  ftpDataPortTries: 64,
  /** Milliseconds that a data port waits: the default of vsftpd (accept_timeout). */
  ftpDataPortMs: 60_000,
  /** Bytes of a refusal. Known servers send less than 200. */
  vncReasonBytes: 4096,
  /** Names of hosts and users fit. */
  factBytes: 256,
} as const;
