/** The interface of the running daemon for its API, signal handlers and tests. */
import type { Problem } from '../../contract/load/problem.ts';
import type { Prefix } from '../address/prefix.ts';
import type { Audit } from '../audit/event.ts';
import type { Bans } from '../bans/ban.ts';
import type { Exemptions } from '../bans/exemptions.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import type { ThreatFeed } from '../feed/feed.ts';
import type { Push } from '../feed/push.ts';
import type { KernelBansState, ListedText } from '../kernel-bans/index.ts';
import type { ListState } from '../lists/index.ts';
import type { PlaneStatus } from '../plane/choice.ts';
import type { IntakeStats, ServiceInfo, ServiceStats, TableStats } from '../stats/stats.ts';

export type ReloadOutcome =
  | {
      readonly ok: true;
      readonly changed: readonly string[];
      /** Keys that wait for a restart: they differ from the configuration at start, perhaps since an earlier reload. */
      readonly restart: readonly string[];
      /** Problems under the new configuration. */
      readonly problems: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface DaemonControl {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly services: () => readonly ServiceInfo[];
  /** Collects the counts of the workers. Afterwards `stats` and `tables` are current. */
  readonly refreshCounts: () => Promise<void>;
  readonly stats: () => Readonly<Record<string, ServiceStats>>;
  readonly tables: () => Readonly<Record<string, TableStats>>;
  readonly dataPlane: () => PlaneStatus;
  readonly kernelBans: () => KernelBansState;
  /** Packets that the firewall dropped, for each entry. Undefined: it does not count them. */
  readonly packetsOf: (entries: readonly ListedText[]) => Promise<readonly (number | undefined)[]>;
  readonly intake: () => readonly IntakeStats[];
  /** The number of probes without the address of a client. Undefined without port_scan. */
  readonly unattributedProbes: () => number | undefined;
  /** One clause for each problem. */
  readonly problems: () => readonly string[];
  readonly isServing: () => boolean;
  readonly bans: Bans;
  readonly exemptions: Exemptions;
  /** The lists of the configuration. */
  readonly lists: () => readonly ListState[];
  /** The names of the lists that have all of an address or network. */
  readonly listsCovering: (prefix: Prefix) => readonly string[];
  /** The country of an address. Empty: unknown. */
  readonly countryOf: (ip: string) => string;
  readonly failures: FailureTracker;
  readonly audit: Audit;
  /** The clients of the SSH server of this host whose ban would lock them out. */
  readonly sshClients: () => readonly string[];
  /** Undefined when the feed is disabled. */
  readonly feed: ThreatFeed | undefined;
  /** Undefined when bans are not sent. */
  readonly push?: Pick<Push, 'dropped'> | undefined;
  /** Reloads the configuration. `requester`: who asked for it, for the log. */
  readonly reload: (requester: string) => Promise<ReloadOutcome>;
}
