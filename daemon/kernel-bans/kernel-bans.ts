/** The interface of bans in the kernel. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Prefix } from '../address/prefix.ts';
import type { Served } from '../admission/admission.ts';
import type { Recorder } from '../admission/recorder.ts';
import type { Listener } from '../plane/plane.ts';
import type { ListName } from './mechanism.ts';

export type KernelBansMode = Daemon['bans']['kernel'];

/**
 * An address or network that is banned until a time, in milliseconds since the epoch. Infinity: permanently. 0: it is
 * no longer banned.
 */
export interface ListedChange {
  readonly source: ListName;
  readonly prefix: Prefix;
  readonly until: number;
}

export interface Guarded {
  readonly served: Served;
  readonly listener: Pick<Listener, 'descriptor' | 'isShared'>;
}

export interface KernelBansState {
  readonly mechanism: 'bpf' | 'user_space';
  readonly reason: string;
  readonly entries: number;
  /** The number of banned addresses and networks that the kernel has no room for. */
  readonly leftOut: number;
  /** Services without a filter in the kernel, each with the reason. */
  readonly exceptions: readonly string[];
}

export interface KernelBans {
  readonly listed: (change: ListedChange) => void;
  /** Sets a function that passes all entries to `listed` again. It is called after a restart, which loses them. */
  readonly onRestart: (refill: () => void) => void;
  /** Sets the services whose listeners have filters. Call it after each change of rules or listeners. */
  readonly guard: (guarded: readonly Guarded[]) => void;
  readonly state: () => KernelBansState;
  /** Counts and records the last refusals. Call it when the listeners are closed. */
  readonly close: () => Promise<void>;
}

export interface KernelBansOptions {
  readonly mode: KernelBansMode;
  readonly now: () => number;
  readonly record: Recorder;
  /** Counts refusals by the threat feed, for its usage metrics. `ip` is empty for several addresses. */
  readonly account: (ip: string, count: number) => void;
  readonly fault: (message: string) => void;
  /** Called about once a second. When the wall clock was set back, the callee must pass all bans to `listed` again. */
  readonly checkClock: () => void;
}
