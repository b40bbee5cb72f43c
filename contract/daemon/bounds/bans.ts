/** Bounds of bans in memory, on disk and in the kernel, and of counted failures. */
export const banBounds = {
  /**
   * Bans, including expired bans that are kept to lengthen the next ban: about 150 bytes each. A start reads this many
   * in five seconds.
   */
  bans: 1_000_000,
  /** Bytes of the reason of a ban: one or two lines of a terminal. */
  banReasonBytes: 256,
  /**
   * The evidence of a ban: its last lines, the bytes of each after escaping, the bans that keep theirs (15 MB), and the
   * clients whose lines wait for a ban (6 MB).
   */
  banEvidence: { lines: 3, lineBytes: 512, bans: 10_000, clients: 4096 },
  /** Milliseconds of the longest ban that is not permanent: 365 days. */
  banMs: 365 * 86_400_000,
  /** Shortest prefix of a banned network: /8 is 1/256 of IPv4, /32 is the smallest allocation of an IPv6 provider. */
  banPrefix: { 4: 8, 6: 32 },
  /** Changes in one transaction of the ban store, which takes about ten milliseconds. */
  banCommitRecords: 1000,
  /**
   * Milliseconds between two transactions, so that many bans share one disk flush. When `banCommitPrompt` changes wait,
   * the next transaction starts immediately.
   */
  banCommitMs: 2,
  banCommitPrompt: 100,
  /**
   * Bans and decisions in the kernel. The largest public lists have 70,000. nft writes this many at the start in 1.5 s on an
   * idle machine. The process enforces further entries.
   */
  kernelBanEntries: 131_072,
  /** Milliseconds after which a run of nft is killed. 100,000 elements take 1.6 s on an idle machine. */
  nftMs: 30_000,
  /** Kilobytes of memory of nft. 100,000 elements take 43,000. */
  nftKilobytes: 200_000,
  /** Bytes of the output of nft that are read: the rules of the host for IPv4 and IPv6 together, without elements. */
  nftOutputBytes: 4 * 1024 * 1024,
  /**
   * Failed transactions that are repeated in halves: one refused element of `kernelBanEntries` takes 17, three take fewer
   * than this.
   */
  nftFailures: 64,
  /** Milliseconds between two readings of the counters when they are asked for, and until such a reading is given up. */
  nftReadMs: 1000,
  /** Milliseconds between two readings of the counters of single bans. 100,000 bans take 1.7 s of processor time. */
  nftCountMs: 60_000,
  /** Milliseconds between two checks of the table. A firewall that is loaded again removes it, for 10 s at most. */
  nftCheckMs: 8000,
  /**
   * Milliseconds between two listings of the table while the kernel reports no change of any table and no packet was dropped. A
   * listing takes 15 ms of processor time, of which nft takes half.
   */
  nftQuietMs: 60_000,
  /** The longest time in milliseconds until entries that nft refused are written again: it doubles from `nftCheckMs`. */
  nftRetryMs: 300_000,
  /** Milliseconds between two published ban lists with changes, and until an unchanged one is written again. */
  publishMs: 1000,
  publishAgainMs: 3_600_000,
  /** Times the duration of a write that pass until the next one: publishing takes at most a fifth of a processor. */
  publishShare: 5,
  /** Exemptions with an end: 200 bytes each. An operator sets them by hand. */
  exemptions: 1024,
  /** Bytes of the file with the exemptions. Each takes at most 400. */
  exemptionFileBytes: 1024 * 1024,
  /** Lifted bans whose time is kept: 200 bytes each. A script that lifts a list fits. */
  lifts: 4096,
  /**
   * Milliseconds without a response of the disk until the ban store counts as stalled. `load` includes the check of the
   * database, during which there is no response. Checking a million bans took 3 s.
   */
  banStallMs: { write: 5000, load: 10_000 },
  /**
   * Milliseconds between two backups of the ban store, until a failed one is repeated, and for the last one when the
   * daemon stops, which is less than `closeMs`.
   */
  banBackupMs: 300_000,
  banBackupRetryMs: 30_000,
  banBackupLastMs: 5000,
  /** Pages that a backup copies at a time, one megabyte. Transactions of bans run in between. */
  banBackupPages: 256,
  /** Bytes of the addresses that were unbanned since the last backup. Beyond half of them, a new backup is made. */
  banLiftBytes: 4 * 1024 * 1024,
  /** Milliseconds between two checks of the ban store's files. Every transaction checks them too. */
  banCheckMs: 10_000,
  /** Bans that expire in one turn of the event loop. Each expiry is reported to listeners and to the store. */
  bansEndedAtOnce: 5000,
  /** Addresses and networks with counted failures, and /64 networks with counted bans: 300 bytes each. */
  failureAddresses: 100_000,
  /**
   * Maximum milliseconds for which the ban of an address counts against its /48. A shorter `ban_duration` takes
   * precedence.
   */
  siteBansMs: 86_400_000,
  /** Milliseconds between two sweeps for expired failure windows. A sweep of 100,000 takes some milliseconds. */
  failureSweepMs: 10_000,
  /** Points in time of one failure count. Failures within a fraction of the window share one point. */
  failureMarks: 64,
  /**
   * Counted passwords that are recognized when they are repeated: 100 bytes each, 7 MB. They are five passwords of 13,000
   * addresses. While there are more, each repetition counts.
   */
  countedPasswords: 65_536,
  /**
   * Addresses of one IPv6 /64 that count separately. The network is banned when this many of its addresses are banned.
   */
  failureAddressesPerNetwork: 8,
} as const;
