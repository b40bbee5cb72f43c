import type { BanOrigin } from '../bans/ban.ts';

export interface Failure {
  /** An address, or the /64 of several addresses: only a few addresses of a /64 are counted separately. */
  readonly ip: string;
  /** Undefined when the failure did not happen at a service. */
  readonly service?: string;
  /** The kind of failure, such as `failed login`. A noun that takes a plural `s`, except in reports of the API. */
  readonly trigger: string;
  readonly origin: BanOrigin;
  /**
   * Failures of different groups are counted separately: an event file and an access log can report the same request.
   */
  readonly group?: string;
  /** When it happened, milliseconds since the epoch. Undefined: now. */
  readonly at?: number;
  /** The number of equal failures at once. Default: 1. */
  readonly count?: number;
  /** A limit that replaces the limit of the service. */
  readonly after?: number;
  readonly windowMs?: number;
  /** A keyed hash of the user and the password. A repetition at the service does not count within the window. */
  readonly fingerprint?: string;
  /** The line of a log that reports it. */
  readonly line?: string;
}

export interface FailureTracker {
  /** Counts a failure. Returns true when it reached the limit and the address is banned, not when that is only detected. */
  readonly fail: (failure: Failure) => boolean;
  /** The number of addresses and networks with counted failures. */
  readonly size: () => number;
}
