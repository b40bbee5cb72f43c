/** Bounds of the exchange with a CrowdSec LAPI. */
export const feedBounds = {
  /** Bytes of a response. 100,000 decisions take 18 MB. */
  feedAnswerBytes: 64 * 1024 * 1024,
  /** Bytes of one decision. Most have about 200. */
  feedDecisionBytes: 65_536,
  /**
   * Decisions in memory: 150 MB. The largest public lists have 70,000. A power of two, because V8 would block the
   * thread for 50 ms when it doubles the table of a Map.
   */
  feedDecisions: 2 ** 18,
  /** Decisions of one address or network. CrowdSec has four types. Beyond, bans and the longest decisions stay. */
  feedDecisionsPerPrefix: 16,
  /** Characters of a text: the limit of the LAPI's database. */
  feedTextCharacters: 255,
  /** Milliseconds for a response. A LAPI on a busy machine takes 3 s for 100,000 decisions. */
  feedAnswerMs: 60_000,
  /** Longest delay between two attempts. An operator waits this long after a repair. */
  feedRetryMs: 30_000,
  /** Milliseconds between two messages that the feed is stale. Alerts depend on them. */
  feedReminderMs: 60 * 60_000,
  /** Milliseconds between two full responses. Only these show some removals. */
  feedResyncMs: 15 * 60_000,
  /**
   * Milliseconds for which full responses must lack more than half of the decisions: the database of the LAPI is empty
   * while it is restored.
   */
  feedDoubtMs: 5 * 60_000,
  /** Milliseconds between two writes of the decisions: 12 MB each. The LAPI sends lost ones again. */
  feedSaveMs: 60_000,
  /** Milliseconds that a start, a reload and a shutdown wait for the disk. Less than `closeMs`. */
  feedDiskMs: 5000,
  /** Milliseconds between two reports: the default of CrowdSec. */
  feedUsageMs: 30 * 60_000,
  /** Counters of a report: one for each origin, remediation and kind of address. */
  feedUsageItems: 256,
  /** Unsent bans: a minute of an attack from many addresses. */
  pushPending: 10_000,
  /** Bytes by which the file of unsent bans grows before it is rewritten. Each ban takes 300. */
  pushFileBytes: 4 * 1024 * 1024,
  /** Milliseconds between two attempts while the disk fails. */
  pushFileRetryMs: 1000,
  /** Bans in one request: one request for each ban would be slower than a flood. */
  pushBatch: 50,
  /** Milliseconds for a response to a push. */
  pushAnswerMs: 10_000,
} as const;
