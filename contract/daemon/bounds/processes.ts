/** Bounds of the audit and of worker processes. */
export const processBounds = {
  /** Facts of one connection in the audit file. */
  connectionFacts: 32,
  /**
   * Bytes of audit records that are queued for the disk: half a minute of a flood. Further records are dropped and
   * counted.
   */
  auditQueueBytes: 4 * 1024 * 1024,
  /**
   * Bytes of the audit file at which the daemon renames it to `.1`, in place of the previous one: both have at most
   * twice as many, and once the queue more. logrotate runs once a day and a container has none, while a flood of
   * allowed connections writes 256 MiB within minutes. The log rotation of the package rotates earlier on other days.
   */
  auditFileBytes: 256 * 1024 * 1024,
  /** Milliseconds for which /health reports that audit records were lost. Monitoring reads it several times an hour. */
  auditLossMs: 3_600_000,
  /**
   * Equal refusals of one client that get separate records within auditFloodMs. Further refusals share one record with
   * a count. CrowdSec scenarios that count lines reach their limit earlier.
   */
  auditFloodFirst: 10,
  auditFloodMs: 10_000,
  /**
   * Combinations of client, service and reason whose refusals are summarized. Refusals with further combinations get
   * separate records.
   */
  auditFloodSums: 16_384,
  /** Different faults that are written within auditFloodMs. Further faults are only counted. */
  auditFaults: 64,
  /**
   * Milliseconds until a worker must have carried out an order, such as reading a configuration with long lists. A
   * worker that takes longer is replaced.
   */
  workerAnswerMs: 30_000,
  /**
   * Heartbeats of a worker in milliseconds. A silence of `late` degrades /health, a silence of `hung` replaces the
   * worker. The longest task of a worker takes 0.2 s. While one of two workers hangs, half of the new connections fail.
   */
  workerHeartbeatMs: { every: 1000, late: 2000, hung: 5000 },
  /**
   * Milliseconds until the first heartbeat of a worker. It takes over 10 s on a machine whose load is ten times its
   * processors.
   */
  workerStartMs: 20_000,
  /**
   * Milliseconds until an ended worker is restarted: the first delay, and the longest delay when it ends repeatedly.
   */
  workerRestartMs: { first: 1000, most: 30_000 },
  /**
   * Milliseconds within which a second crash makes all workers stop using the Linux data plane. After the first crash,
   * only the crashed worker stops using it.
   */
  planeCrashMs: 60 * 60_000,
  /**
   * Milliseconds that an API response waits until workers have closed banned connections. The workers already refuse
   * new connections. The coordinator waits as long for slots that it withdraws.
   */
  workerSettleMs: 1000,
  /** Milliseconds between two reports of a worker's counts. Unreported counts are lost when the worker ends. */
  workerCountMs: 250,
  /** Milliseconds in which an ending worker can send its last records. */
  workerEndMs: 2000,
  /**
   * Queued messages of a worker to the coordinator: some seconds of a flood. Further records are dropped and counted.
   */
  workerMessages: 16_384,
  /** Services that a reload removed and that still have open connections: ten reloads of a hundred services. */
  earlierServices: 1024,
  /**
   * Milliseconds that a shutdown waits for everything but connections. Without this limit, a disk that does not respond
   * would block the shutdown.
   */
  closeMs: 10_000,
  /**
   * Milliseconds by which wall clock and monotonic clock must diverge to count as a clock change. A busy machine delays
   * the two readings by less.
   */
  clockStepMs: 2000,
} as const;
