/** Bounds of the audit and of worker processes. */
export const processBounds = {
  /** Facts of one record. */
  connectionFacts: 32,
  /** Bytes of queued records: half a minute of a flood. Further ones are dropped and counted. */
  auditQueueBytes: 4 * 1024 * 1024,
  /**
   * Equal refusals of one client with separate records within auditFloodMs. CrowdSec scenarios that count lines reach
   * their limit earlier.
   */
  auditFloodFirst: 10,
  auditFloodMs: 10_000,
  /** Refusals of further clients get separate records. */
  auditFloodKeys: 16_384,
  /** Different faults within auditFloodMs. Further faults are only counted. */
  auditFaults: 64,
  /** Milliseconds for an order, such as reading a configuration with long lists. Then the worker is replaced. */
  workerAnswerMs: 30_000,
  /**
   * A silence of `late` degrades /health, a silence of `hung` replaces the worker. Its longest task is reading the
   * longest configuration: 0.2 s. While one of two workers hangs, half of the new connections fail.
   */
  workerHeartbeatMs: { every: 1000, late: 2000, hung: 5000 },
  /** Milliseconds until the first heartbeat: over 10 s on a machine whose load is ten times its processors. */
  workerStartMs: 20_000,
  /** Milliseconds until an ended worker is restarted. The delay grows when it ends repeatedly. */
  workerRestartMs: { first: 1000, most: 30_000 },
  /** Milliseconds in which a second crash ends the use of the Linux data plane. */
  planeCrashMs: 60 * 60_000,
  /** Milliseconds that an API response waits for workers. They already refuse new connections. */
  workerSettleMs: 1000,
  /** Milliseconds between two reports. Unreported counts are lost when the worker ends. */
  workerCountMs: 250,
  /** Milliseconds for the last records of a worker. */
  workerEndMs: 2000,
  /** Queued messages of a worker: some seconds of a flood. Further records are dropped and counted. */
  workerMessages: 16_384,
  /** Removed services with open connections: ten reloads of a hundred services. */
  earlierServices: 1024,
  /** Milliseconds that a shutdown waits for everything but connections. A disk that does not respond would block it. */
  closeMs: 10_000,
  /** Milliseconds by which the clocks diverge when one was set. A busy machine delays the two readings by less. */
  clockStepMs: 2000,
} as const;
