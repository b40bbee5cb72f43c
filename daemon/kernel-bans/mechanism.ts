/** What refuses connections in the kernel. */
import type { Prefix } from '../address/prefix.ts';

/** Why the kernel refuses a connection: a reason of the audit. In the order of the gates. */
export const refusalReasons = ['ban', 'threatfeed', 'ip_filter'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Lists of addresses and networks that change all the time. */
export const listNames = ['ban', 'threatfeed'] as const;
export type ListName = (typeof listNames)[number];

/** A service as the kernel sees it. */
export interface GuardedListener {
  /** Identifies the service in the counts: below `daemonBounds.kernelBanServices`. */
  readonly number: number;
  /** Undefined: another process owns the socket. */
  readonly descriptor: number | undefined;
  /** The socket can outlive this process, whose lists must not. */
  readonly isShared: boolean;
  /** The lists that apply. */
  readonly lists: readonly ListName[];
  /** Never refused here. It takes precedence over everything else. */
  readonly passed: readonly Prefix[];
  readonly denied: readonly Prefix[];
}

/** Refused connections since the previous reading. */
export interface Refused {
  readonly listener: number;
  readonly reason: RefusalReason;
  /** Undefined: clients that were not counted separately. */
  readonly client: Prefix | undefined;
  readonly count: number;
}

/** Starts with empty lists and without listeners. `failed`: called once if it stops enforcing, with the reason. @throws Error */
export type StartMechanism = (failed: (why: string) => void) => Mechanism;

export interface Mechanism {
  /** Adds an address or network, or replaces its end where it was added. `leftMs`: Infinity for a permanent ban. False: the kernel has no room for it. */
  readonly add: (list: ListName, prefix: Prefix, leftMs: number) => boolean;
  readonly remove: (list: ListName, prefix: Prefix) => void;
  /** Enforces on exactly these listeners, whose objects do not change. `released`: descriptors of open listeners on which nothing is enforced. Returns what failed, by number. */
  readonly guard: (listeners: readonly GuardedListener[], released: readonly number[]) => ReadonlyMap<number, string>;
  readonly read: () => readonly Refused[];
  /** Reads the last counts, and releases everything. */
  readonly close: () => readonly Refused[];
}
