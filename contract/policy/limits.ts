/**
 * Every bound on what an attacker can send or make the guard keep, each with its reason. TypeScript reads this file; Go
 * and Lua read tables generated from it.
 */
import { regexLimits } from '../regex/limits.ts';

export const limits = {
  /** Bytes of a request path. The longest benign path measured was 269, p99.9 of attacks 1,077. */
  pathBytes: 4096,
  /** Bytes of a query string before it is split, and of one key or value. Common servers accept 8 to 16 KiB. */
  queryBytes: 16_384,
  /**
   * Pairs of a query string, and strings of JSON in its values. The first 256 are inspected before the limit applies.
   * All inspected headers share one count, and each value counts as a pair: a megabyte of headers can have 100,000
   * values, and Traefik's interpreter takes up to a millisecond for one.
   */
  queryPairs: 256,
  /** Bytes of one inspected header value. This is twice the path length that nginx accepts by default. */
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
   * Values of a body that are inspected. Values of only letters, digits and a few other bytes have one reading and do
   * not count. In a multipart form each part and each name counts once. Traefik's interpreter takes up to a millisecond
   * for a value.
   */
  bodyValues: 1024,
  /** Bytes of the joined texts of an XML body. Nested elements share their texts, so joining multiplies them. */
  xmlJoinedBytes: 65_536,
  /** Content bytes of a multipart part that are inspected. */
  multipartContentBytes: 8192,
  /**
   * Bytes of all Content-Type lines of a request. Normal requests have up to 200; Traefik's interpreter takes 20 µs for
   * each comma.
   */
  contentTypeBytes: 1024,
  /** Longest multipart boundary. RFC 2046 5.1.1 allows 70 bytes, and a server may keep two quotation marks. */
  multipartBoundaryBytes: 72,
  /**
   * Distinct boundaries of a multipart form. Normal clients send one, which has two readings when it is in quotation
   * marks.
   */
  multipartBoundaries: 8,
  /**
   * Segments of a path that have an extension and are also read as a file with path info. Of 137,692 benign paths, 38
   * have two or three such segments before the last one, and none has four. Each adds one text to match.
   */
  pathInfoFiles: 4,
  /**
   * Evaluations that wait for a slot in Caddy. The slowest take about 10 ms, so the last one in the queue waits ten
   * seconds. Further requests get 503.
   */
  slotQueue: 1024,
  /** Evaluations that wait for a slot in Traefik's interpreter, where the slowest take one second. */
  interpretedSlotQueue: 10,
  ...regexLimits,
  /**
   * Bytes of one target in a file of targets. A longer target exceeds every limit of a proxy, so evaluating its
   * beginning is enough.
   */
  targetBytes: 65_536,
  /** Bytes of a policy file. A policy of a thousand rules has about 200 KB. */
  policyFileBytes: 4 * 1024 * 1024,
  /**
   * Entries, of two bytes each, in the tables that Go builds for the custom patterns when it loads a policy. Go's
   * `regexp` matches the patterns that do not fit. It is slower but needs no tables: a policy that loads on one host
   * must load on every host.
   */
  tableEntries: 1024 * 1024,
  /**
   * Steps for building Go's tables of custom patterns: each follows an instruction of a pattern or reads a word of a state set. For one
   * entry, a pattern with large counts can need thousands of sets of eighty words. All steps take at most a second.
   */
  tableSteps: 512 * 1024 * 1024,
  /** Number of custom patterns, of rules and of exceptions. In the worst case matching tests each of them. */
  policyRules: 1000,
  /**
   * Bytes of all patterns of a policy after their counts are expanded: `x{2,5}` counts as `xxx?x?x?`. A thousand
   * patterns have about 60 KB. Engines expand counts and keep the result. RE2 takes up to 700 bytes and 6 µs for each
   * of these bytes, which is 250 MB and 1.5 s at the bound.
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
  /** Bytes of a request body that are read after the response has been sent, so that the connection can be reused. */
  lingerBytes: 1024 * 1024,
  /** Seconds until the remaining body must arrive. After that the connection is closed. */
  lingerSeconds: 5,
  /** Seconds to connect to the target of mode proxy. A host of the same network accepts within one second or never. */
  mirrorDialSeconds: 10,
  /**
   * Bytes of the head of a mirrored response, including interim responses. This is twice what proxies commonly accept
   * from a backend.
   */
  mirrorHeadBytes: 65_536,
  /**
   * Bytes per second of all responses of modes infinite_stream and gzip_bomb together, in one process. At this rate
   * they take less than a tenth of a core; unlimited clients would take one and a half cores.
   */
  streamBytesPerSecond: 16 * 1024 * 1024,
  /** Idle connections to the target of mode proxy that are kept for the next request. */
  mirrorIdleConnections: 16,
  /** Bytes of one security event line. A pipe writes this many bytes atomically (PIPE_BUF on Linux). */
  eventBytes: 4096,
  /**
   * Event lines per second of a proxy, for all its guards and workers. Further events are counted and summarized, so
   * that a flood cannot fill the disk.
   */
  eventsPerSecond: 1000,
  /**
   * Event lines per second that are reserved for the first event of a client in this second. A flood from few addresses
   * cannot hide a client that arrives later.
   */
  eventsForNewClients: 100,
  /**
   * A client may use this many times the lines that remain for all clients. One client that floods alone gets eight
   * ninths of the shared lines, the next one eight ninths of the remaining lines. The probe set of a sandbox is one
   * client with 650 blocked requests.
   */
  eventsClientFactor: 8,
  /**
   * Number of clients whose events without a line are counted separately until the summary is written, at most a
   * second later. Each client takes about 100 bytes.
   */
  eventSumClients: 1024,
  /** Clients in a summary line. With the longest addresses and counts, the line is shorter than eventBytes. */
  eventSumNames: 64,
  /**
   * Bytes of an event file. A full file is renamed to `*.old`, so a flood fills at most two files. One file has a
   * million events, which is more than a site without a flood has in a day.
   */
  eventFileBytes: 512 * 1024 * 1024,
  /**
   * Seconds until a captcha page expires. People solve a captcha faster, and tokens of providers are valid for two to
   * five minutes.
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
   * Seconds for a provider to verify a token, including the connection. Meanwhile the visitor waits, and the
   * verification occupies one slot of `maxHeld`.
   */
  captchaVerifySeconds: 5,
  /** Bytes of a provider's response. Real responses have less than one KiB. */
  captchaAnswerBytes: 65_536,
  /** Rules that passes can excuse for one request. Each costs one more evaluation. */
  captchaRules: 8,
  /**
   * Seconds by which the clocks of two replicas may differ. When a state or pass expires later than a new one by more
   * than this, it was issued before a clock was set back, and is refused.
   */
  captchaClockSeconds: 60,
  /**
   * Verifications of the clients of one network within `captchaSpanSeconds`. Further ones get 429. A person solves a
   * few captchas a minute, so an office behind one address fits. Each verification is a request to the provider, which
   * limits and bills them.
   */
  captchaVerifications: 60,
  /** Seconds in which verifications are counted. Also the `Retry-After` of the 429. */
  captchaSpanSeconds: 60,
  /**
   * Networks whose verifications are counted in one span. Further networks get 429. 4,096 entries take about 500 KB.
   */
  captchaNetworks: 4096,
  /**
   * Idle connections to a provider that an nginx worker keeps for the next verification. Go's client keeps the same
   * number.
   */
  captchaIdleConnections: 2,
  /**
   * Seconds for which an idle connection to a provider is kept. Servers close it after five seconds or more, and a
   * request at that moment would fail.
   */
  captchaIdleSeconds: 4,
  /**
   * Prefix length that identifies an IPv6 client in `maxHeldPerAddress` and in the bounds on verifications. Providers
   * assign up to a /56 to a customer (RFC 6177). With shares per address or per /64, one customer would get 256 shares
   * or more.
   */
  clientNetworkBits: 56,
  /**
   * The first 32 bits of addresses that a translator made from IPv4 addresses: `64:ff9b::/96` (RFC 6052 2.1) and
   * `64:ff9b:1::/48` (RFC 8215). Each such address counts as one client. A network of them contains all clients of a
   * translator, so one client could use up the shares of the others or cause their ban.
   */
  translatedBits: 0x0064_ff9b,
} as const;
