/** Bounds of files that the daemon reads. */
export const fileBounds = {
  /** Addresses in one list. The bound limits the time of reading at the start. */
  listAddresses: 100_000,
  /**
   * Bytes of a GeoIP database, in the memory of every process. City databases have up to 130 MB, the largest a few
   * hundred.
   */
  geoDatabaseBytes: 512 * 1024 * 1024,
  /** Bytes of a line that can be an event. Events have at most 4,096. */
  intakeLineBytes: 16_384,
  /** Milliseconds between two polls. A scanner sends about a dozen requests in that time. */
  intakePollMs: 250,
  /** Milliseconds that a start or a reload waits for the first read. */
  intakeFirstMs: 1000,
  /** Bytes of one read. Connections are served between two reads. */
  intakeReadBytes: 65_536,
  /** Milliseconds for which a renamed file is read: gateways write to it until they reopen their file. */
  intakeRenamedMs: 10_000,
  /** Files that are searched for a renamed one. */
  intakeFolderFiles: 10_000,
} as const;
