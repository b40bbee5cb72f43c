/** Decisions of an external service (CrowdSec) about addresses. */

export interface Decision {
  /** Address or network in canonical text. */
  readonly ip: string;
  /** As the service names it: `ban`, `captcha`, `throttle`, or anything else. */
  readonly type: string;
  /** Where the decision comes from: `cscli`, `crowdsec`, `CAPI`, `lists:<name>`. */
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
  /** Milliseconds since the epoch; null: never. */
  readonly lastSuccess: number | null;
  readonly lastError: string | null;
}

export interface ThreatFeed {
  /** The decision that covers an address and lasts longest, a ban before others. */
  readonly covering: (ip: string) => Decision | undefined;
  readonly state: () => FeedState;
  readonly list: (options: { readonly limit: number; readonly cursor?: string }) => {
    readonly decisions: readonly Decision[];
    readonly cursor: string | undefined;
  };
  /** Counts for the usage metrics: a connection that was looked at, and what became of it. */
  readonly account: (outcome: {
    readonly origin?: string;
    readonly remediation?: string;
    readonly isIpv6: boolean;
  }) => void;
  readonly close: () => Promise<void>;
}
