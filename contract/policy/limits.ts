/** Every bound on what an attacker can send or make the guard keep. Go and Lua read generated tables. */
import { regexLimits } from '../regex/limits.ts';

export const limits = {
  /** Bytes of a request path. The longest benign path measured was 269, p99.9 of attacks 1,077. */
  pathBytes: 4096,
  /**
   * Bytes of a query string before it is split, and of one key or value. Common servers accept 8 to 16 KiB: a request
   * line of nginx has 8 KiB, all headers of Node have 16 KiB. Scripts for analytics send more than 8 KiB by POST. Twice
   * as much would cost Traefik's interpreter 1.2 s for one query of JSON in place of 0.6 s, and a beacon of
   * that size would pass the bytes of candidates anyway.
   */
  queryBytes: 16_384,
  /**
   * Pairs of a query string, and strings of JSON in its values. All headers together have the same limit. Traefik's
   * interpreter takes up to a millisecond for a value.
   */
  queryPairs: 256,
  /** Bytes of one inspected header value: twice `pathBytes`, because a header can contain a whole URL. */
  headerBytes: 8192,
  /** Rounds of URL decoding. Benign targets need one, attacks at most three; each OAuth redirect adds one. */
  decodeRounds: 5,
  /** Candidate bytes of one view. This bounds the matching work for a single value. */
  viewBytes: 65_536,
  /** Candidate bytes of one request; a body has a separate budget of the same size. */
  requestBytes: 262_144,
  /** Bytes of one value of a body. Longer values are cut and not refused, because uploads must work. */
  bodyValueBytes: 65_536,
  /**
   * Values of a body that are inspected, without empty ones and plain words. Parts and names of a multipart form count
   * too. Traefik's interpreter takes up to a millisecond for a value.
   */
  bodyValues: 1024,
  /** Bytes of the joined texts of an XML body. Nested elements share their texts, so joining multiplies them. */
  xmlJoinedBytes: 65_536,
  /** Content bytes of a multipart part that are inspected. */
  multipartContentBytes: 8192,
  /**
   * Bytes of all Content-Type lines of a request. Normal requests have up to 200; Traefik's interpreter takes 20 us for
   * each comma.
   */
  contentTypeBytes: 1024,
  /** Bytes of a multipart boundary. RFC 2046 5.1.1 allows 70, and a server may keep two quotation marks. */
  multipartBoundaryBytes: 72,
  /** Distinct boundaries of a multipart form. Normal clients send one, with two readings when it is quoted. */
  multipartBoundaries: 8,
  /** Segments of a path that have the extension of a script and are also read as one with path info. */
  pathInfoFiles: 4,
  /**
   * Bytes of all Upgrade lines of a request. Beyond them, every protocol is removed. Browsers send 9 bytes; Traefik's
   * interpreter takes some microseconds for each comma.
   */
  upgradeBytes: 256,
  /**
   * Bytes of all Connection lines of a request from which a protocol is removed. Beyond them, Connection is removed too.
   * Clients send up to 35 bytes.
   */
  connectionBytes: 1024,
  /**
   * Evaluations that wait for a slot in Caddy, or in a Traefik with the guard compiled in. The slowest take about
   * 10 ms, so the last one waits at most ten seconds. Further requests get 503.
   */
  slotQueue: 1024,
  /** Evaluations that wait for a slot in Traefik's interpreter, where the slowest take one second. */
  interpretedSlotQueue: 10,
  ...regexLimits,
  /** Bytes of one target in a file of targets. A longer target exceeds every limit of a proxy. */
  targetBytes: 65_536,
  /** Bytes of a policy file. A policy of a thousand rules has about 200 KB. */
  policyFileBytes: 4 * 1024 * 1024,
  /**
   * Entries of two bytes in the tables that Go builds for custom patterns. Go's slower `regexp` matches the patterns
   * that do not fit, because a policy must load on every host.
   */
  tableEntries: 1024 * 1024,
  /**
   * Steps for building Go's tables of custom patterns: at most a second. For one entry, large counts can need thousands
   * of state sets of eighty words.
   */
  tableSteps: 512 * 1024 * 1024,
  /** Number of custom patterns, of rules and of exceptions. In the worst case matching tests each of them. */
  policyRules: 1000,
  /** Applications of a policy. Each adds up to a dozen exceptions; a host serves fewer applications. */
  policyApplications: 64,
  /**
   * Bytes of all patterns of a policy after their counts are expanded: `x{2,5}` counts as `xxx?x?x?`. A thousand
   * patterns have about 60 KB. At the bound, RE2 takes up to 250 MB and 1.5 s.
   */
  policyPatternBytes: 256 * 1024,
  /** Addresses in one list of a policy. Longer lists belong at layer 4. */
  policyAddresses: 10_000,
  /** Bytes of a daemon file. The longest allowed address lists fit. */
  daemonFileBytes: 8 * 1024 * 1024,
  /**
   * Nesting of lists and mappings in a file. Valid files have six levels. Parsers recurse, so deep nesting would
   * exhaust their stack.
   */
  fileNesting: 64,
  /** Values of a YAML file after its aliases are expanded. A few lines of aliases can expand to billions of values. */
  fileValues: 1_000_000,
  /** Problems reported for one file. Users do not read more, and each hint takes time. */
  fileProblems: 100,
  /** Bytes of a body, page or decoy that a policy contains. */
  responseBodyBytes: 1024 * 1024,
  /** Bytes of a request body that are read after the response, so that the connection can be reused. */
  lingerBytes: 1024 * 1024,
  /** Seconds until the remaining body must arrive, before the connection is closed. */
  lingerSeconds: 5,
  /**
   * Seconds to connect to the target of mode proxy, and for its TLS handshake. A host of the same network accepts
   * within one second or never.
   */
  mirrorDialSeconds: 10,
  /**
   * Bytes of the head of a mirrored response, with interim responses: twice what proxies commonly accept from a
   * backend.
   */
  mirrorHeadBytes: 65_536,
  /**
   * Bytes per second of all responses of modes infinite_stream and gzip_bomb in one process. They take less than a
   * tenth of a core.
   */
  streamBytesPerSecond: 16 * 1024 * 1024,
  mirrorIdleConnections: 16,
  /** Bytes of one security event line. A pipe writes this many bytes atomically (PIPE_BUF on Linux). */
  eventBytes: 4096,
  /** Event lines per second of a proxy. Further events are summarized, so that a flood cannot fill the disk. */
  eventsPerSecond: 1000,
  /**
   * Event lines per second that are reserved for the first event of each client. A flood from few addresses cannot hide
   * a client that arrives later.
   */
  eventsForNewClients: 100,
  /**
   * A client gets a further line only while it has fewer than this many times the lines that remain for all. The probe
   * set of a sandbox is one client with 650 blocked requests.
   */
  eventsClientFactor: 8,
  /**
   * Clients whose events without a line are counted separately for a summary. Each takes about 100 bytes for at most a
   * second.
   */
  eventSumClients: 1024,
  /** Clients in a summary line. With the longest addresses and counts, the line is shorter than eventBytes. */
  eventSumNames: 64,
  /**
   * Bytes of an event file. A full file is renamed to `*.old`. It has a million events, more than a day of a site
   * without a flood.
   */
  eventFileBytes: 512 * 1024 * 1024,
  /**
   * Seconds until a captcha page expires. People solve a captcha faster, and tokens are valid for two to five minutes.
   */
  captchaStateSeconds: 600,
  /**
   * Bytes of the form that a captcha page sends: two tokens (hCaptcha sends its token twice), and a state with the
   * longest return path.
   */
  captchaBodyBytes: 16_384,
  /** Bytes of a token. Turnstile documents at most 2,048; tokens of the other providers can exceed 2,000. */
  captchaTokenBytes: 4096,
  /**
   * Bytes of the target to which a visitor returns. A longer target is replaced by `/`. Targets of ordinary pages are
   * shorter.
   */
  captchaReturnBytes: 2048,
  /**
   * Seconds to verify a token, including the connection. Also the seconds to receive the form. At most `maxHeld`
   * verifications run, in addition to the other held requests.
   */
  captchaVerifySeconds: 5,
  /** Bytes of a provider's response. Real responses have less than one KiB. */
  captchaAnswerBytes: 65_536,
  /** Rules that a visitor's passes can excuse for one request. Each rule costs one more evaluation. */
  captchaRules: 8,
  /**
   * Seconds by which the clocks of two replicas may differ. The guard refuses states and passes that expire later: a
   * clock was set back after their issue.
   */
  captchaClockSeconds: 60,
  /**
   * Verifications for the clients of one network within `captchaSpanSeconds`. An office behind one address fits. The
   * provider limits and bills each verification.
   */
  captchaVerifications: 60,
  /** Seconds in which verifications are counted. Also the `Retry-After` of the 429. */
  captchaSpanSeconds: 60,
  /** Networks whose verifications are counted in one span. 4,096 entries take about 500 KB. */
  captchaNetworks: 4096,
  /** Idle connections to a provider that an nginx worker keeps. Go's client keeps the same number. */
  captchaIdleConnections: 2,
  /**
   * Seconds for which an nginx worker keeps an idle connection to a provider. Servers close it after five seconds or
   * more, and a request at that moment would fail.
   */
  captchaIdleSeconds: 4,
  /**
   * Prefix length that identifies an IPv6 client. Providers assign up to a /56 to a customer (RFC 6177), who would have
   * 256 shares if each /64 had one.
   */
  clientNetworkBits: 56,
  /**
   * First 32 bits of IPv4 addresses that a translator wrote as IPv6 (RFC 6052 2.1, RFC 8215). Each address is one
   * client, because a network of them contains all clients of the translator.
   */
  translatedBits: 0x0064_ff9b,
  /** Ranges of a ban list: 9.8 MB. The largest public lists have 70,000. */
  banListRanges: 131_072,
  /**
   * Ranges of a ban list in one block of its checksum: less than 256 KiB, which an nginx worker reads and checks between
   * two requests.
   */
  banListBlock: 3495,
  /**
   * Seconds for which a ban holds after its list was written, also a permanent one: bans do not outlive a tcp-guard that
   * is gone. tcp-guard writes the list each hour.
   */
  banListSeconds: 86_400,
  /** Seconds between two looks at a ban list. */
  banListLookSeconds: 1,
} as const;
