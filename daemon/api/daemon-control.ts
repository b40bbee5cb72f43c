/** The running daemon as its API, its signals and its tests see it. */
import type { Problem } from '../../contract/load/problem.ts';
import type { Audit } from '../audit/event.ts';
import type { Bans } from '../bans/ban.ts';
import type { FailureTracker } from '../failures/tracker.ts';
import type { ThreatFeed } from '../feed/feed.ts';
import type { Push } from '../feed/push.ts';
import type { ServiceInfo, ServiceStats, TableStats } from '../stats/stats.ts';

export type ReloadOutcome =
  | {
      readonly ok: true;
      readonly changed: readonly string[];
      /** Keys that differ from those of the start and that only a start reads. */
      readonly restart: readonly string[];
      /** What does not work under the configuration. */
      readonly problems: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface DaemonControl {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly services: () => readonly ServiceInfo[];
  /** Brings what is counted in other processes up to now; `stats` and `tables` show it then. */
  readonly recount: () => Promise<void>;
  readonly stats: () => Readonly<Record<string, ServiceStats>>;
  readonly tables: () => Readonly<Record<string, TableStats>>;
  /** What is wrong, one clause each; empty: the daemon is well. */
  readonly problems: () => readonly string[];
  /** Whether connections are accepted. */
  readonly isServing: () => boolean;
  readonly bans: Bans;
  readonly failures: FailureTracker;
  readonly audit: Audit;
  /** Undefined: not enabled. */
  readonly feed: ThreatFeed | undefined;
  /** Undefined: own bans are not sent. */
  readonly push?: Pick<Push, 'dropped'> | undefined;
  readonly reload: () => Promise<ReloadOutcome>;
}
