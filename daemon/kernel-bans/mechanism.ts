/** The interface of a mechanism that refuses connections in the kernel. */
import type { Prefix } from '../address/prefix.ts';

/** Reasons for which the kernel refuses a connection, in the order of daemon/admission/gates. They are written to the audit. */
export const refusalReasons = ['ban', 'threatfeed', 'ip_filter'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** The lists that change while the daemon runs. */
export const listNames = ['ban', 'threatfeed'] as const;
export type ListName = (typeof listNames)[number];

export interface GuardedListener {
  /** The number of the service in the counts, below `daemonBounds.kernelBanServices`. */
  readonly serviceNumber: number;
  /** The descriptor of the socket. Undefined when another process owns the socket. */
  readonly descriptor: number | undefined;
  /** Whether the socket can outlive this process. Its filter then needs a lease, so that bans end with this process. */
  readonly isShared: boolean;
  readonly lists: readonly ListName[];
  /** Networks that the kernel never refuses, even when a list contains them. */
  readonly passed: readonly Prefix[];
  readonly denied: readonly Prefix[];
}

/** The number of dropped packets of a client between two readings. A client that retries sends several. */
export interface RefusalCount {
  /** See `GuardedListener.serviceNumber`. */
  readonly serviceNumber: number;
  readonly reason: RefusalReason;
  /** Undefined for all clients that were not counted separately. */
  readonly client: Prefix | undefined;
  readonly count: number;
}

/** Starts with empty lists. Calls `failed` once, with the reason, if it stops enforcing. @throws Error */
export type StartMechanism = (failed: (why: string) => void) => Mechanism;

export interface Mechanism {
  /** Adds an entry, or changes its end to `leftMs` from now. Returns false when that fails, as when the map is full. */
  readonly add: (list: ListName, prefix: Prefix, leftMs: number) => boolean;
  readonly remove: (list: ListName, prefix: Prefix) => void;
  /**
   * Attaches the filters of the listeners, and detaches the filters from the `released` descriptors. A listener that is
   * the same object as in the previous call keeps its filter. Returns the failures by service number.
   */
  readonly guard: (listeners: readonly GuardedListener[], released: readonly number[]) => ReadonlyMap<number, string>;
  readonly read: () => readonly RefusalCount[];
  readonly close: () => readonly RefusalCount[];
}
