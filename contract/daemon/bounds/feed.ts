/** Bounds of the exchange with a CrowdSec LAPI: decisions that it sends, and bans that it receives. */
export const feedBounds = {
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
   * Milliseconds for which full responses must lack more than half of the decisions before the daemon drops these. The
   * database of the LAPI can be empty for a while when it is restarted or restored.
   */
  feedDoubtMs: 5 * 60_000,
  /**
   * Milliseconds between two writes of the decisions to disk, 12 MB each. The LAPI sends lost decisions again.
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
} as const;
