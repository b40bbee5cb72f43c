/** Bounds of inspectors: what they buffer of a connection, and how long they wait. */
export const inspectionBounds = {
  /**
   * Bytes of an unfinished line or message that an inspector keeps. SMTP has the longest lines: 12,288 for AUTH (RFC
   * 4954 4).
   */
  inspectorPendingBytes: 16_384,
  /**
   * Bytes of a client's line in a text protocol. Dovecot accepts this length, the longest of known servers. The
   * inspector keeps only the first and last bytes of a line.
   */
  clientLineBytes: 65_536,
  /**
   * Bytes of an FTP client's line, before and after a login. Servers parse the remainder of a longer line as another
   * command: inetutils after 511 bytes, pyftpdlib after 2,048.
   */
  ftpLineBytes: { login: 510, session: 2048 },
  /** Bytes of a server's line. A response to IMAP SEARCH lists every message; a million take 8 MB. */
  serverLineBytes: 16 * 1024 * 1024,
  /** Bytes of the SSH version line with its end (RFC 4253 4.2). */
  sshVersionBytes: 255,
  /** Records of one ClientHello. Some tools split it into two to ten, to hide the server name. */
  helloRecords: 64,
  /**
   * Milliseconds until a server must respond to a ClientHello, for protocols that also allow clear text. The driver of
   * MongoDB waits 30 s.
   */
  tlsAnswerMs: 30_000,
  /** Bytes of an SSH packet before encryption. Every implementation must accept this size (RFC 4253 6.1). */
  sshPacketBytes: 35_000,
  /**
   * Encrypted bytes after which an SSH client has tried to log in. With OpenSSH 9.2, requesting the methods takes 104,
   * and one key or password 244 to 412.
   */
  sshAttemptBytes: 160,
  /**
   * Encrypted bytes up to which an SSH server has probably refused every login. One to six refusals took 512 to 1,252,
   * a shell 1,868 or more, and a command without output 976 to 1,896.
   */
  sshShortBytes: 1536,
  /** Milliseconds of an SSH session without a login. OpenSSH ends such a session after 120 seconds (LoginGraceTime). */
  sshShortMs: 125_000,
  /**
   * Commands of a connection that await a reply. Clients can pipeline mail to a thousand recipients (RFC 5321
   * 4.5.3.1.10 requires 100).
   */
  commandsInFlight: 1024,
  /** Bytes of the names, such as users and tags, in commands that await a reply: 64 for each command. */
  commandsInFlightBytes: 65_536,
  /**
   * Bytes of a header block of HTTP/2, as sent and decoded. nginx accepts 32 KiB (large_client_header_buffers); proxies
   * and servers in Go, Node and Java 8 to 64 KiB.
   */
  http2HeadBytes: 65_536,
  /**
   * The same of a server, which is trusted. Chrome accepts responses with 256 KiB of headers, curl 300 KiB and Firefox
   * 384 KiB.
   */
  http2ResponseHeadBytes: 524_288,
  /**
   * Accepted credentials that a connection of HTTP remembers, so that their requests are not logins: a proxy sends those
   * of its users over few connections. Each takes about 100 bytes.
   */
  httpAcceptedLogins: 256,
  /** Bytes of the header table of one side of HTTP/2 (RFC 7541 4.2). Browsers offer the most, 65,536. */
  http2TableBytes: 65_536,
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
  /** Facts with one name that a connection reports. A resolver sends thousands of queries on one connection. */
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
  /**
   * Share of a range of data ports that await one client, rounded up. A port awaits its client for one round trip, so a
   * client that takes all ports of a small range would stop the transfers of others.
   */
  ftpDataPortShare: 0.25,
  /** Ports of the range that are tried for one data port. Other processes can use any of them. */
  ftpDataPortTries: 64,
  /** Milliseconds that a data port waits for its client. This is the default of vsftpd (accept_timeout). */
  ftpDataPortMs: 60_000,
  /** Bytes of the reason that a VNC server sends with a refusal. Known servers send less than 200. */
  vncReasonBytes: 4096,
  /**
   * Bytes of a user or a password that is recognized when it is repeated. OpenLDAP and Dovecot accept longer ones, which
   * count each time.
   */
  passwordBytes: 1024,
  /** Bytes of one fact. Names of hosts and users fit. */
  factBytes: 256,
} as const;
