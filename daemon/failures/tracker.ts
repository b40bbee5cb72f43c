/** Counts failures of addresses, and bans addresses that reach a limit. */
import type { BanOrigin } from '../bans/ban.ts';

export interface Failure {
  /**
   * An address, or the /64 of several that failed. Only a few addresses of an IPv6 /64 are counted separately (daemonBounds).
   * Others count as the network, which is then banned. All of them count for their /48 too: see sites.ts.
   */
  readonly ip: string;
  /** Undefined: not at a service. */
  readonly service?: string;
  /** What failed, such as `failed login`: a noun that takes an `s` in the reason, except from the API. */
  readonly trigger: string;
  readonly origin: BanOrigin;
  /** When it happened, milliseconds since the epoch. Undefined: now. */
  readonly at?: number;
  /** A limit other than the service's. */
  readonly after?: number;
  readonly windowMs?: number;
}

export interface FailureTracker {
  /** Counts one failure. True: it reached the limit and the address is banned. */
  readonly fail: (failure: Failure) => boolean;
  /** The number of counted addresses. */
  readonly size: () => number;
}
