/** Bans in the kernel, as other parts of the daemon use them. */
import type { Prefix } from '../address/prefix.ts';
import type { Served } from '../admission/admission.ts';
import type { Recorder } from '../admission/recorder.ts';
import type { Listener } from '../plane/plane.ts';
import type { KernelBansMode } from './index.ts';
import type { ListName } from './mechanism.ts';

/** An address or network is listed until a time, milliseconds since the epoch. 0: it is not listed any more. */
export interface ListedChange {
  readonly source: ListName;
  readonly prefix: Prefix;
  readonly until: number;
}

/** A listening service. */
export interface Guarded {
  readonly served: Served;
  readonly listener: Pick<Listener, 'descriptor' | 'isShared'>;
}

export interface KernelBansState {
  readonly mechanism: 'bpf' | 'user_space';
  /** Why this mechanism. */
  readonly reason: string;
  readonly entries: number;
  /** Listed addresses and networks that the kernel has no room for. */
  readonly leftOut: number;
  /** Services that only user space guards, each with the reason. */
  readonly exceptions: readonly string[];
}

export interface KernelBans {
  readonly listed: (change: ListedChange) => void;
  /** Calls `refill` when the kernel has lost everything that was listed. */
  readonly onRestart: (refill: () => void) => void;
  /** Enforces on exactly these services. The caller calls it after every change of rules or listeners. */
  readonly guard: (guarded: readonly Guarded[]) => void;
  readonly state: () => KernelBansState;
  /** Accounts for the last refusals. The listeners are closed. */
  readonly close: () => Promise<void>;
}

export interface KernelBansOptions {
  readonly mode: KernelBansMode;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
  readonly record: Recorder;
  /** Counts connections that a decision of the threat feed refused, for its usage metrics. Empty: of many addresses. */
  readonly account: (ip: string, count: number) => void;
  readonly fault: (message: string) => void;
  /** Called before each reading of the counts, about once a second. Ends of entries are times of a monotonic clock in the kernel. */
  readonly checkClock: () => void;
}
