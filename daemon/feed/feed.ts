/** Decisions of a CrowdSec LAPI on addresses. */
import type { Prefix } from '../address/prefix.ts';

export interface Decision {
  /** Address or network in canonical text. */
  readonly ip: string;
  /** `ban`, `captcha`, `throttle`, or another type of the LAPI. */
  readonly type: string;
  /** The source, such as `cscli`, `crowdsec`, `CAPI`, `lists:<name>` or, for bans of tcp-guard, `guard`. */
  readonly origin: string;
  readonly scenario: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface FeedState {
  readonly status: 'healthy' | 'stale' | 'starting';
  readonly decisions: number;
  /** Seconds between two polls. */
  readonly updateFrequency: number;
  /** Milliseconds since the epoch. Null: never. */
  readonly lastSuccess: number | null;
  readonly lastError: string | null;
}

export interface ThreatFeed {
  /** The decision on an address. A ban comes first, then the longest decision. */
  readonly covering: (ip: string) => Decision | undefined;
  /** All decisions that cover an address or a whole network, widest first. */
  readonly coveringAll: (prefix: Prefix) => readonly Decision[];
  readonly state: () => FeedState;
  readonly problems: () => readonly string[];
  readonly list: (options: { readonly limit: number; readonly cursor?: string }) => {
    readonly decisions: readonly Decision[];
    readonly cursor: string | undefined;
  };
  /** Counts checked connections and their outcome for the usage metrics. `count`: default 1. */
  readonly account: (
    outcome: {
      readonly origin?: string;
      readonly remediation?: string;
      readonly isIpv6: boolean;
    },
    count?: number,
  ) => void;
  /** Stops polling. The decisions stay readable. */
  readonly close: () => Promise<void>;
}
