/**
 * Every bound on what an attacker can send or make us hold, each with its reason.
 * TypeScript reads this file; Go and Lua read tables generated from it.
 */
export const limits = {
  /** Bytes of a request path. The longest benign path measured was 269, p99.9 of attacks 1,077. */
  pathBytes: 4096,
  /** Bytes of a query string before it is split, and of one key or value. Common servers stop at 8 to 16 KiB. */
  queryBytes: 16_384,
  /**
   * Pairs of a query string, and strings of JSON in its values. The first 256 are inspected before the limit applies. All inspected headers share one count, in which
   * each value is a pair too: Traefik's interpreter takes up to a millisecond for one, and a megabyte of headers has 100,000.
   */
  queryPairs: 256,
  /** Bytes of one inspected header value: twice what stock nginx takes for a path. */
  headerBytes: 8192,
  /** Rounds of URL decoding. Benign targets need one, attacks at most three; each OAuth hop adds one. */
  decodeRounds: 5,
  /** Candidate bytes of one view: bounds the matching work of a single value. */
  viewBytes: 65_536,
  /** Candidate bytes of one request; a body has a separate budget of the same size. */
  requestBytes: 262_144,
  /** Bytes of one value of a body; longer ones are cut, uploads must work. */
  bodyValueBytes: 65_536,
  /**
   * Values of a body that are inspected, without those that have one reading: letters, digits and a few other bytes. In
   * a multipart form, each part and each name counts once. One costs Traefik's interpreter up to a millisecond.
   */
  bodyValues: 1024,
  /** Bytes of the joined texts of a body of XML: elements inside of each other share their texts. */
  xmlJoinedBytes: 65_536,
  /** Content bytes of a multipart part that are inspected. */
  multipartContentBytes: 8192,
  /** Bytes of all Content-Type lines of a request. Honest ones have up to 200; Traefik's interpreter takes some 20 µs for each comma. */
  contentTypeBytes: 1024,
  /** Longest multipart boundary that is searched for: RFC 2046 5.1.1 allows 70 bytes, and a server may keep two quotation marks. */
  multipartBoundaryBytes: 72,
  /** Distinct boundaries of a multipart form. Honest clients send one, which has two readings in quotation marks. */
  multipartBoundaries: 8,
  /**
   * Segments with an extension, of a path, that are read as a file with path info behind it. Of 137,692 benign paths, 38 have
   * two or three of them before their last segment, and none has four. Each is one more text to match.
   */
  pathInfoFiles: 4,
  /** Evaluations that wait for a slot in Caddy: the slowest take some 10 ms, so that the last one waits ten seconds. More get 503. */
  slotQueue: 1024,
  /** The same in Traefik, where the slowest take 300 ms. */
  interpretedSlotQueue: 32,
  /** Bytes of one pattern: the largest built-in one has 1,100. */
  regexBytes: 2048,
  /** Nesting of groups: parsers recurse. */
  regexNesting: 32,
  /** Largest count of a quantifier, and largest product of nested counts: the bound of RE2. */
  regexRepeat: 1000,
  /** Characters, assertions and branches of a pattern with its counts written out: RE2 compiles any such pattern in its 8 MiB. */
  regexSize: 5000,
  /** Transitions of a repeated group that is checked for backtracking: the check takes time in their square. Fifty words have 2,500. */
  regexLoopEdges: 4096,
  /** Pairs of positions that two runs over one text reach in it at once: a loop over two long counts has a million. Fifty words have 1,300. */
  regexLoopPairs: 4096,
  /** Bytes of one target of a list. What is longer is past every limit of a proxy and is evaluated by its beginning. */
  targetBytes: 65_536,
  /** Bytes of a policy file. A policy of a thousand rules has about 200 KB. */
  policyFileBytes: 4 * 1024 * 1024,
  /**
   * Entries of the tables that Go builds for the custom patterns of a policy when it is loaded: two bytes each. Patterns beyond it are
   * matched by Go's `regexp`, which needs no tables and takes longer: a policy that loads on another host must load here too.
   */
  tableEntries: 1024 * 1024,
  /**
   * Steps that building these tables takes: instructions that are followed, and words of the sets of states that an entry is made
   * from. A pattern with large counts has sets of eighty words, and thousands of them for one entry. A second at most.
   */
  tableSteps: 512 * 1024 * 1024,
  /** Custom patterns, rules and exceptions, each. Matching is linear in them in the worst case. */
  policyRules: 1000,
  /**
   * Bytes of all patterns of a policy with their counts written out: `x{2,5}` counts as `xxx?x?x?`. A thousand patterns have about
   * 60 KB. Engines write counts out and hold the result: RE2 takes up to 700 bytes and 6 µs for each of these bytes, which is 1.5 s and
   * 250 MB at the bound.
   */
  policyPatternBytes: 256 * 1024,
  /** Addresses in one list of a policy. Longer lists belong at layer 4. */
  policyAddresses: 10_000,
  /** Bytes of a daemon file: the longest address lists fit. */
  daemonFileBytes: 8 * 1024 * 1024,
  /** Addresses in one list of the daemon file: looked up in a tree, so the bound is the time to read them at start. */
  daemonAddresses: 100_000,
  /** Depth of lists and mappings in a file. Ours have six levels; parsers recurse. */
  fileNesting: 64,
  /** Values of a YAML file with its aliases written out: a few lines of aliases can expand to billions. */
  fileValues: 1_000_000,
  /** Problems reported for one file: more are not read, and each hint costs time. */
  fileProblems: 100,
  /** Bytes of a body, page or decoy that a policy carries inline. */
  responseBodyBytes: 1024 * 1024,
  /** Bytes of a request body that are read after the answer has been sent, so that the connection can go on. */
  lingerBytes: 1024 * 1024,
  /** Seconds in which the remaining body must arrive; a connection whose client withholds it is closed. */
  lingerSeconds: 5,
  /** Seconds to reach the target of mode proxy: the next hop of a network answers in one or never. */
  mirrorDialSeconds: 10,
  /** Bytes of the head of a mirrored answer, with those of interim ones: twice what proxies commonly take from a backend. */
  mirrorHeadBytes: 65_536,
  /**
   * Bytes per second of all responses of modes infinite_stream and gzip_bomb together, in one process: clients that read as fast
   * as they can otherwise take one and a half cores for as long as they like. This rate takes less than a tenth of one.
   */
  streamBytesPerSecond: 16 * 1024 * 1024,
  /** Connections to the target of mode proxy that are kept for the next request. */
  mirrorIdleConnections: 16,
  /** Bytes of one security event line: what a pipe takes in one piece (PIPE_BUF on Linux). */
  eventBytes: 4096,
  /** Event lines per second of a proxy, whatever its number of guards and workers; further ones are counted and summed, so that a flood cannot fill the disk. */
  eventsPerSecond: 1000,
  /** Of these, lines that only the first event of a client in a second gets: a flood from few addresses cannot hide a client that comes after it. */
  eventsForNewClients: 100,
  /**
   * A client may have this many times the lines that are left for all: one that floods alone gets eight ninths of the shared lines, the
   * next one eight ninths of the remaining ones. The probe set of a sandbox is one client with 650 blocked requests.
   */
  eventsClientFactor: 8,
  /** Clients whose events without a line are counted separately until the sum is written, after a second at most. One takes some 100 bytes. */
  eventSumClients: 1024,
  /** Clients that the line of a sum names: with the longest addresses and counts it has less than eventBytes. */
  eventSumNames: 64,
  /** Bytes of an event file. A full file is renamed to `*.old`, so a flood fills at most two. One has a million events: a site without a flood has fewer in a day. */
  eventFileBytes: 512 * 1024 * 1024,
  /** Seconds for which a captcha page can be answered: people solve one in less, and tokens of providers live two to five minutes. */
  captchaStateSeconds: 600,
  /** Bytes of the form that answers a captcha page: two tokens (hCaptcha sends its own twice) and a state with the longest return path. */
  captchaBodyBytes: 16_384,
  /** Bytes of a token. Turnstile promises at most 2,048; tokens of the others were seen to pass 2,000. */
  captchaTokenBytes: 4096,
  /** Bytes of the target that a visitor is sent back to; longer ones lead to `/`. Pages that people open are shorter. */
  captchaReturnBytes: 2048,
  /** Seconds for a provider to verify a token, the connection included: a visitor is waiting, and so is one of the `maxHeld` verifications. */
  captchaVerifySeconds: 5,
  /** Bytes of a provider's answer: real ones have less than one KiB. */
  captchaAnswerBytes: 65_536,
  /** Rules that passes can excuse for one request: each costs another evaluation. */
  captchaRules: 8,
  /**
   * Seconds that the clocks of two replicas may differ by. A state or pass that is valid for longer than a new one and this time was
   * made before the clock was set back, and no longer counts.
   */
  captchaClockSeconds: 60,
  /**
   * Verifications of the clients of one network in a span of `captchaSpanSeconds`; further ones get 429. A person solves a few
   * captchas a minute, so an office behind one address fits. Each is a request to the provider, which limits and bills them.
   */
  captchaVerifications: 60,
  /** Seconds in which verifications are counted, and `Retry-After` of the 429. */
  captchaSpanSeconds: 60,
  /** Networks whose verifications are counted in one span; those of further networks get 429. 4,096 entries take some 500 KB. */
  captchaNetworks: 4096,
  /** Connections to a provider that a worker of nginx keeps for the next verification: as many as Go's client keeps. */
  captchaIdleConnections: 2,
  /** Seconds for which such a connection is kept: servers close idle ones after five or more, and a request on its way would fail. */
  captchaIdleSeconds: 4,
  /**
   * Bits of an IPv6 address that a client counts as in `maxHeldPerAddress` and in the bounds on verifications: providers assign a
   * customer up to a /56 (RFC 6177), so that shares per address or per /64 would give one customer 256 or more.
   */
  clientNetworkBits: 56,
  /**
   * The first 32 bits of addresses that a translator made of IPv4 ones: `64:ff9b::/96` (RFC 6052 2.1) and `64:ff9b:1::/48` (RFC 8215).
   * Each is a client. Their networks have all clients behind a translator, so that one would exhaust the shares and get the bans of others.
   */
  translatedBits: 0x0064_ff9b,
} as const;
