/** Bounds of bans in memory, on disk and in the kernel, and of counted failures. */
export const banBounds = {
  /** Bans, also expired ones that lengthen the next ban: 150 bytes each, and five seconds of reading at start. */
  bans: 1_000_000,
  /** Bytes of a reason: one or two lines of a terminal. */
  banReasonBytes: 256,
  /** Longest ban that is not permanent. */
  banMs: 365 * 86_400_000,
  /** Shortest prefix: /8 is 1/256 of IPv4, /32 is the smallest allocation of an IPv6 provider. */
  banPrefix: { 4: 8, 6: 32 },
  /** Changes in one transaction: about ten milliseconds. */
  banCommitRecords: 1000,
  /**
   * Milliseconds between two transactions: many bans share one disk flush. At this number of changes the next one
   * starts.
   */
  banCommitMs: 2,
  banCommitPrompt: 100,
  /** Entries of one kernel map: 12 MB. The largest public lists have 70,000. The process enforces further entries. */
  kernelBanEntries: 131_072,
  /** Services with kernel bans: 24 bytes each. */
  kernelBanServices: 1024,
  /**
   * Milliseconds between two readings of counters, and addresses that are counted separately in between. The audit can
   * write that many records.
   */
  kernelBanCountMs: 1000,
  kernelBanCounts: 1024,
  /** Milliseconds until removed kernel filters are set again. The delay grows while the kernel refuses. */
  kernelBanRestartMs: { first: 1000, most: 60_000 },
  /** Milliseconds that a filter on an inherited socket outlives its daemon. */
  kernelBanLeaseMs: 10_000,
  /** Lifted bans whose time is kept: 200 bytes each. A script that lifts a list fits. */
  lifts: 4096,
  /** Milliseconds until a failing ban store is retried. */
  banRetryMs: { first: 1000, most: 30_000 },
  /** Milliseconds without a disk response until the ban store counts as failed. Checking a million bans took 3 s. */
  banStallMs: { write: 5000, load: 10_000 },
  /** Milliseconds between two checks of the files. Every transaction checks them too. */
  banCheckMs: 10_000,
  /** Bans that expire in one turn of the event loop. Each expiry is reported to listeners and to the store. */
  bansEndedAtOnce: 5000,
  /** Addresses and networks with counted failures, and /64 networks with counted bans: 300 bytes each. */
  failureAddresses: 100_000,
  /** Most milliseconds for which a ban counts against its /48. A shorter `ban_duration` takes precedence. */
  siteBansMs: 86_400_000,
  /** Milliseconds between two sweeps. A sweep of 100,000 addresses takes some milliseconds. */
  failureSweepMs: 10_000,
  /** Failures within a fraction of the window share one point in time. */
  failureMarks: 64,
  /** Addresses of an IPv6 /64 that count separately, and its bans until the /64 is banned. */
  failureAddressesPerNetwork: 8,
} as const;
