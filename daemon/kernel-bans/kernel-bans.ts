/** The interface of bans in the kernel. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Prefix } from '../address/prefix.ts';

/** The lists that change while the daemon runs. They are the reasons of refusals, in the order of daemon/admission/gates. */
export const listNames = ['ban', 'threatfeed'] as const;
export type ListName = (typeof listNames)[number];

/**
 * An address or network that is banned until a time, in milliseconds since the epoch. Infinity: permanently. 0: it is
 * no longer banned.
 */
export interface ListedChange {
  readonly source: ListName;
  readonly prefix: Prefix;
  readonly until: number;
}

/** An address or network in a list, in the text of its ban. */
export interface ListedText {
  readonly list: ListName;
  readonly ip: string;
}

export interface KernelBansState {
  readonly mechanism: 'nftables' | 'user_space';
  readonly reason: string;
  readonly entries: number;
  /** The number of banned addresses and networks that are not in the kernel. */
  readonly leftOut: number;
  /** Packets that the kernel dropped since the start. */
  readonly dropped: number;
  /** Services whose connections the kernel does not refuse, each with the reason. */
  readonly exceptions: readonly string[];
}

export interface KernelBans {
  /** Takes a configuration whose services listen. The first call writes the table. */
  readonly configure: (config: Daemon) => void;
  /** Reads the counts of dropped packets again, at most once a second. */
  readonly refresh: () => Promise<void>;
  /** Packets that the kernel dropped for each entry, read at most once a minute. Undefined: it does not count them. */
  readonly packetsOf: (entries: readonly ListedText[]) => Promise<readonly (number | undefined)[]>;
  readonly state: () => KernelBansState;
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}
