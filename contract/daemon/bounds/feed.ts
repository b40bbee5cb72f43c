/** Bounds of the exchange with a CrowdSec LAPI. */
export const feedBounds = {
  /** Bytes of one LAPI response. 100,000 decisions take 18 MB. */
  feedAnswerBytes: 64 * 1024 * 1024,
  /** Bytes of one decision. Most have about 200. */
  feedDecisionBytes: 65_536,
  /**
   * Decisions in memory. A process with all of them takes 420 to 580 MB, one with 70,000 takes 230 MB: the largest public
   * lists have 70,000. A power of two: to hold more, V8 doubles the table of a Map, which blocks the thread for 50 ms.
   */
  feedDecisions: 2 ** 18,
  /**
   * Decisions of one address or network. CrowdSec has four types. When an address has too many, a new ban replaces a
   * decision of another type. Of two bans, or of two other decisions, a longer new one replaces a shorter one.
   */
  feedDecisionsPerPrefix: 16,
  /** Characters that are kept of a decision's type, origin and scenario. The LAPI's database limits names to 255. */
  feedTextCharacters: 255,
  /** Milliseconds for a response. A LAPI on a busy machine takes 3 s for 100,000 decisions. */
  feedAnswerMs: 60_000,
  /**
   * Milliseconds of the longest delay between two attempts while the LAPI fails. An operator waits at most this long
   * after a repair.
   */
  feedRetryMs: 30_000,
  /** Milliseconds between two messages that the feed is stale. An alert depends on the repetition. */
  feedReminderMs: 60 * 60_000,
  /** Milliseconds between two full responses. The LAPI does not report some removals otherwise. */
  feedResyncMs: 15 * 60_000,
  /**
   * Milliseconds for which the daemon keeps its decisions while full responses lack more than half of them. The
   * database of the LAPI is empty while it is restored.
   */
  feedDoubtMs: 5 * 60_000,
  /** Milliseconds between two writes of the decisions to disk, 12 MB each. The LAPI sends lost decisions again. */
  feedSaveMs: 60_000,
  /** Milliseconds between two usage reports. This is the default of CrowdSec. */
  feedUsageMs: 30 * 60_000,
  /** Counters of connections in a usage report, and of decisions: for each origin, remediation and kind of address. */
  feedUsageItems: 256,
  /** Unsent bans for the LAPI: a minute of an attack from many addresses. */
  pushPending: 10_000,
  /**
   * The file of unsent bans is rewritten when it exceeds twice its size after the last rewrite plus this number of
   * bytes. Each ban takes 300 bytes.
   */
  pushFileBytes: 4 * 1024 * 1024,
  /** Bans in one push request. One request for each ban would be slower than a flood. */
  pushBatch: 50,
  /** Milliseconds for a response to a push. */
  pushAnswerMs: 10_000,
} as const;
