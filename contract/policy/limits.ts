/** Every bound on what an attacker can send or make the guard keep. Go and Lua read generated tables. */
import { regexLimits } from '../regex/limits.ts';

export const limits = {
  /** Of a request path. The longest benign path measured was 269, p99.9 of attacks 1,077. */
  pathBytes: 4096,
  /** Of a query string before it is split, and of one key or value. Common servers accept 8 to 16 KiB. */
  queryBytes: 16_384,
  /**
   * Pairs of a query string, and strings of JSON in its values. All headers share one count. Traefik's interpreter
   * takes up to a millisecond for a value.
   */
  queryPairs: 256,
  /** Of one inspected header value: twice the path length that nginx accepts by default. */
  headerBytes: 8192,
  /** Rounds of URL decoding. Benign targets need one, attacks at most three; each OAuth redirect adds one. */
  decodeRounds: 5,
  /** Candidate bytes of one view: the matching work for a single value. */
  viewBytes: 65_536,
  /** Candidate bytes of one request; a body has a separate budget of the same size. */
  requestBytes: 262_144,
  /** Longer values are cut and not refused, because uploads must work. */
  bodyValueBytes: 65_536,
  /**
   * Inspected values of a body. Values with one reading do not count. Traefik's interpreter takes up to a millisecond
   * for a value.
   */
  bodyValues: 1024,
  /** Joined texts of an XML body. Nested elements share their texts, so joining multiplies them. */
  xmlJoinedBytes: 65_536,
  /** Inspected content of a multipart part. */
  multipartContentBytes: 8192,
  /**
   * All Content-Type lines of a request. Normal requests have up to 200 bytes; Traefik's interpreter takes 20 µs for
   * each comma.
   */
  contentTypeBytes: 1024,
  /** RFC 2046 5.1.1 allows 70 bytes, and a server may keep two quotation marks. */
  multipartBoundaryBytes: 72,
  /** Distinct boundaries of a multipart form. Normal clients send one, with two readings when it is quoted. */
  multipartBoundaries: 8,
  /**
   * Segments with an extension that are also read as a file with path info. Of 137,692 benign paths, none has four
   * before the last one.
   */
  pathInfoFiles: 4,
  /**
   * Waiting evaluations in Caddy. The slowest take about 10 ms, so the queue takes ten seconds. Further requests get
   * 503.
   */
  slotQueue: 1024,
  /** In Traefik's interpreter the slowest evaluations take one second. */
  interpretedSlotQueue: 10,
  ...regexLimits,
  /** One target in a file of targets. A longer one exceeds every limit of a proxy. */
  targetBytes: 65_536,
  /** A policy of a thousand rules has about 200 KB. */
  policyFileBytes: 4 * 1024 * 1024,
  /**
   * Two-byte entries of Go's tables for custom patterns. Go's slower `regexp` matches the other patterns, because a
   * policy must load on every host.
   */
  tableEntries: 1024 * 1024,
  /**
   * Steps for Go's tables of custom patterns, at most a second in all. Large counts can need thousands of sets of
   * eighty words for one entry.
   */
  tableSteps: 512 * 1024 * 1024,
  /** Custom patterns, rules and exceptions. In the worst case matching tests each of them. */
  policyRules: 1000,
  /**
   * Patterns after their counts are expanded: `x{2,5}` counts as `xxx?x?x?`. A thousand patterns have about 60 KB. RE2
   * takes up to 250 MB and 1.5 s at the bound.
   */
  policyPatternBytes: 256 * 1024,
  /** Longer lists belong at layer 4. */
  policyAddresses: 10_000,
  /** The longest allowed address lists fit. */
  daemonFileBytes: 8 * 1024 * 1024,
  /** Parsers recurse, so deep nesting would exhaust their stack. Valid files have six levels. */
  fileNesting: 64,
  /** A few lines of aliases can expand to billions of values. */
  fileValues: 1_000_000,
  /** Users do not read more, and each hint takes time. */
  fileProblems: 100,
  /** A body, page or decoy of a policy. */
  responseBodyBytes: 1024 * 1024,
  /** Bytes of a request body that are read after the response, so that the connection can be reused. */
  lingerBytes: 1024 * 1024,
  /** Seconds until the remaining body must arrive, before the connection is closed. */
  lingerSeconds: 5,
  /** A host of the same network accepts within one second or never. */
  mirrorDialSeconds: 10,
  /** Head of a mirrored response with interim responses: twice what proxies commonly accept from a backend. */
  mirrorHeadBytes: 65_536,
  /** All responses of modes infinite_stream and gzip_bomb of one process, at less than a tenth of a core. */
  streamBytesPerSecond: 16 * 1024 * 1024,
  mirrorIdleConnections: 16,
  /** A pipe writes this many bytes atomically (PIPE_BUF on Linux). */
  eventBytes: 4096,
  /** Event lines per second of a proxy. Further events are summarized, so that a flood cannot fill the disk. */
  eventsPerSecond: 1000,
  /** Reserved for the first event of a client in each second. A flood from few addresses cannot hide a later client. */
  eventsForNewClients: 100,
  /**
   * Multiple of the remaining lines that one client may use. The probe set of a sandbox is one client with 650 blocked
   * requests.
   */
  eventsClientFactor: 8,
  /** Clients whose events are summarized separately. Each takes about 100 bytes for at most a second. */
  eventSumClients: 1024,
  /** With the longest addresses and counts, the line is shorter than eventBytes. */
  eventSumNames: 64,
  /** A full event file is renamed to `*.old`. It has a million events, more than a day of a site without a flood. */
  eventFileBytes: 512 * 1024 * 1024,
  /** People solve a captcha faster. Tokens are valid for two to five minutes. */
  captchaStateSeconds: 600,
  /** Two tokens (hCaptcha sends its token twice), and a state with the longest return path. */
  captchaBodyBytes: 16_384,
  /** Turnstile documents at most 2,048; tokens of other providers can exceed 2,000. */
  captchaTokenBytes: 4096,
  /** A longer target is replaced by `/`. Targets of ordinary pages are shorter. */
  captchaReturnBytes: 2048,
  /** Seconds to verify a token, including the connection. The verification occupies one slot of `maxHeld`. */
  captchaVerifySeconds: 5,
  /** Real responses have less than one KiB. */
  captchaAnswerBytes: 65_536,
  /** Rules that passes excuse for one request. Each costs one more evaluation. */
  captchaRules: 8,
  /**
   * Seconds by which the clocks of replicas may differ. A state or pass that expires later was issued before a clock
   * was set back.
   */
  captchaClockSeconds: 60,
  /**
   * Verifications of one network within `captchaSpanSeconds`. An office behind one address fits. The provider limits
   * and bills each.
   */
  captchaVerifications: 60,
  /** This is also the `Retry-After` of the 429. */
  captchaSpanSeconds: 60,
  /** Networks that are counted in one span. 4,096 entries take about 500 KB. */
  captchaNetworks: 4096,
  /** An nginx worker keeps as many connections as Go's client. */
  captchaIdleConnections: 2,
  /** Servers close idle connections after five seconds or more, and a request at that moment would fail. */
  captchaIdleSeconds: 4,
  /**
   * Prefix length of an IPv6 client. Providers assign up to a /56 to a customer (RFC 6177), who would get 256 shares
   * per /64.
   */
  clientNetworkBits: 56,
  /**
   * First 32 bits of translated IPv4 addresses (RFC 6052 2.1, RFC 8215). Each address is one client, because a network
   * contains all clients of a translator.
   */
  translatedBits: 0x0064_ff9b,
} as const;
