/** Counts failures of addresses and bans those that have too many. */

export interface Failure {
  /** Address. Of one IPv6 /64 only so many are counted apart (daemonBounds); further ones count as the network, and it is banned. */
  readonly ip: string;
  /** Undefined: from outside of any service. */
  readonly service?: string;
  /** What failed, for the reason of the ban, such as `failed login`: a noun that takes an s, except from the API. */
  readonly trigger: string;
  readonly origin: 'local' | 'api' | 'intake' | 'port_scan';
  /** Other numbers than the service's own. */
  readonly after?: number;
  readonly windowMs?: number;
}

export interface FailureTracker {
  /** Counts one failure; true: it was one too many and the address is banned. */
  readonly fail: (failure: Failure) => boolean;
  /** Addresses that are being counted. */
  readonly size: () => number;
}
