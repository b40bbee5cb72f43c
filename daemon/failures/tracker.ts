import type { BanOrigin } from '../bans/ban.ts';

export interface Failure {
  /** An address, or the /64 of several addresses. Only a few addresses of a /64 are counted separately. */
  readonly ip: string;
  /** Undefined: not at a service. */
  readonly service?: string;
  /** A noun such as `failed login`, which takes a plural `s`. Reports of the API can have any text. */
  readonly trigger: string;
  readonly origin: BanOrigin;
  /** Milliseconds since the epoch. Undefined: now. */
  readonly at?: number;
  /** Replaces the limit of the service. */
  readonly after?: number;
  readonly windowMs?: number;
}

export interface FailureTracker {
  /** Returns true when the failure reached the limit and the address is banned. */
  readonly fail: (failure: Failure) => boolean;
  /** Counted addresses. */
  readonly size: () => number;
}
