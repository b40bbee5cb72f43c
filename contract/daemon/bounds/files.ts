/** Bounds of files that the daemon reads and writes. */
export const fileBounds = {
  /** Milliseconds that a start, a reload, a shutdown and a caller of the API wait for the disk. Less than `closeMs`. */
  diskMs: 5000,
  /**
   * Milliseconds until what the disk refused is written again: the first delay, and the longest delay. The copy of a
   * list can have 64 MiB, so it is not written each second.
   */
  diskRetryMs: { first: 1000, most: 30_000 },
  /** Addresses in one list of the daemon file. The bound limits the time of reading at start. */
  listAddresses: 100_000,
  /**
   * Bytes of a list of addresses, or of a file with bans: the largest public lists have 2 MB, and exports of CrowdSec some 500
   * bytes for each address. Only entries are kept.
   */
  listBytes: 64 * 1024 * 1024,
  /** Lists that are read at once: hostile servers can fill `listBytes` this many times. One of them is evaluated at a time. */
  listsAtOnce: 4,
  /** Addresses and networks of one list: the largest public lists have 70,000. */
  listEntries: 2 ** 17,
  /** Entries of all lists. Each takes 300 bytes of memory, so all take 150 MiB. */
  listsEntries: 2 ** 19,
  /** Milliseconds for the download of a list. */
  listMs: 60_000,
  /** Milliseconds until a list that failed is read again, or its interval if that is shorter. */
  listRetryMs: 15 * 60_000,
  /**
   * Milliseconds for which the kernel and the firewall refuse an entry of a list without hearing of it again: a
   * tcp-guard that has ended bans for at most a day.
   */
  listHoldMs: 24 * 60 * 60_000,
  /**
   * Bytes of a GeoIP database, which every process keeps in memory. City databases have up to 130 MB, the largest
   * commercial ones a few hundred.
   */
  geoDatabaseBytes: 512 * 1024 * 1024,
  /** Bytes of a line that can be a gateway event. Events have at most 4,096. */
  intakeLineBytes: 16_384,
  /** Milliseconds between two polls of the event files. A scanner sends about a dozen requests in that time. */
  intakePollMs: 250,
  /**
   * The same after a poll that read no line, where inotify does not report changes: an idle daemon wakes up half as often.
   * Bans take effect within a second of their line.
   */
  intakeIdleMs: 500,
  /**
   * The same where inotify reports changes, for a link to another file, which it does not report. Less than half of
   * `intakeSearchMs`, so that new files are found in time.
   */
  intakeWatchedMs: 2400,
  /** Milliseconds that a start or a reload waits for the first read of the event files. */
  intakeFirstMs: 1000,
  /**
   * Bytes of one event file that a poll reads before it continues with the next file: 100,000 events a second. A file
   * with a hole of terabytes must not keep the events of the others from being read.
   */
  intakePollBytes: 16 * 1024 * 1024,
  /** Bytes of one read of an event file. Connections are served between two reads. */
  intakeReadBytes: 65_536,
  /** Milliseconds for which a renamed event file is still read. Gateways write to it until they reopen their file. */
  intakeRenamedMs: 10_000,
  /** Renamed event files that are read at a time. Gateways keep their old file open over one renaming. Each needs a descriptor. */
  intakeRenamedFiles: 4,
  /** Milliseconds for the last read of renamed event files when the daemon stops. Less than `closeMs`. */
  intakeLastMs: 1000,
  /** Users of an address whose logins in logs are remembered, and as many that failed. An entry takes 150 bytes. */
  intakeUsers: 16_384,
  /** Milliseconds for which a login of a user from an address excuses later failures of this user: seven days. */
  intakeSuccessMs: 604_800_000,
  /** Milliseconds until the first new start of a journalctl that ended. The time doubles with each end. */
  journalRetryMs: 1000,
  /** Bytes of an entry of journalctl: a piece of at most 48 KiB of a line, with up to six bytes for each, and its fields. */
  journalEntryBytes: 524_288,
  /** Streams of services and containers that are within a split line. Each needs an open file of journald or of a runtime. */
  journalStreams: 10_000,
  /** Longest time between two starts of journalctl, in milliseconds. */
  journalRetryMostMs: 60_000,
  /** Milliseconds without a line after which /health reports a log of a server. */
  intakeQuietMs: 86_400_000,
  /**
   * Lines of a source after which /health reports that none is in its format. An SSH server that is reached from the
   * internet has a login in fewer.
   */
  intakeForeignLines: 1000,
  /** Milliseconds between two searches for files of a pattern and for containers, which list whole folders. */
  intakeSearchMs: 5000,
  /** Files of one pattern that are followed: each is read in every poll. */
  intakePatternFiles: 64,
  /** Exempt addresses with a failure that are logged, each once. */
  intakeExemptLogged: 64,
  /**
   * Bytes of a record in Docker's json-file: a piece of at most 16 KiB of a line, of which JSON escapes each byte as six,
   * and labels of the container.
   */
  dockerRecordBytes: 131_072,
  /** Bytes of the file in which Docker describes a container. It has the environment and labels of the container. */
  dockerConfigBytes: 1024 * 1024,
  /** Containers of Docker whose names are read. */
  dockerContainers: 1000,
  /** Addresses with a login, and exempt ones with a failure, that a rehearsal on old logs keeps: 100 bytes each. */
  rehearsalAddresses: 100_000,
  /** Files of a folder that are searched for a renamed file. */
  intakeFolderFiles: 10_000,
} as const;
