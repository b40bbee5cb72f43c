/** Bans: addresses and networks that every service refuses until they expire. */
import type { storeStates } from '../../contract/api/records.ts';

/** The origin of a ban: failures at a service, the API, gateway events, or the port-scan trap. */
export type BanOrigin = 'local' | 'api' | 'intake' | 'port_scan';

export interface Ban {
  /** Address or network in canonical text, such as `192.0.2.1` or `2001:db8::/64`. */
  readonly ip: string;
  /** Service and trigger, such as `ssh: 5 failed logins in 60s`. */
  readonly reason: string;
  /** The service whose failures caused the ban. Null: none. */
  readonly service: string | null;
  readonly origin: BanOrigin;
  /** Milliseconds since the epoch. */
  readonly bannedAt: number;
  /** Milliseconds since the epoch. Null: permanent. */
  readonly expiresAt: number | null;
}

export interface BanRequest {
  readonly ip: string;
  readonly reason: string;
  readonly service?: string;
  readonly origin: BanOrigin;
  /** Milliseconds. Null: permanent. Absent: the service's configured duration, grown for repeat offenders. */
  readonly durationMs?: number | null;
  /** Whether a shorter ban may replace a longer one. */
  readonly replace?: boolean;
}

export type BanRefusal =
  /** Not an address or network, or too wide a network. */
  | 'bad_address'
  /** The address, or every address of the network, is exempt: see `exempt`. */
  | 'never_ban'
  /** The table of bans is full. */
  | 'too_many';

export type BanOutcome =
  /** `isDurable` false: the ban is enforced, and writing it to disk failed. */
  | { readonly ok: true; readonly ban: Ban; readonly isDurable: boolean }
  | { readonly ok: false; readonly refusal: BanRefusal };

/** `isDurable` false: writing to disk failed, and the next start would restore the ban. */
export interface Lifted {
  readonly ban: Ban;
  readonly isDurable: boolean;
}

export interface BanPage {
  readonly bans: readonly Ban[];
  /** For the next page. Undefined: this is the last page. */
  readonly cursor: string | undefined;
}

/** `failing`: bans in force are not written. `stalled`: the disk does not respond. `unread`: bans on disk are not in force. */
export type StoreState = (typeof storeStates)[number];

export interface Bans {
  /** Whether a ban is in force for an address, which is not exempt. Each new connection calls it. */
  readonly covers: (ip: string) => boolean;
  /** The ban in force for an address that lasts longest. */
  readonly covering: (ip: string) => Ban | undefined;
  /** Enforces the ban before it returns. Resolves when the ban is on disk. */
  readonly add: (request: BanRequest) => Promise<BanOutcome>;
  /** Whether a network contains exempt addresses, for which its ban is not in force. */
  readonly spares: (ip: string) => boolean;
  /** Lifts the ban of exactly this address or network before it returns. Undefined: there is none. */
  readonly remove: (ip: string) => Promise<Lifted | undefined>;
  /** Sorted by address, from a cursor on. With `ip`: the bans that cover it, widest first, on one page. */
  readonly list: (options: { readonly limit: number; readonly cursor?: string; readonly ip?: string }) => BanPage;
  /** Every ban, in no order. Bans can change between two steps: one that is in force all the time is among them once. */
  readonly all: () => Iterable<Ban>;
  readonly count: () => number;
  /** Called for each ban before `add` resolves, when the store is read after the start, and for each end of a ban. */
  readonly watch: (listener: (change: BanChange) => void) => () => void;
  readonly store: () => StoreState;
  /**
   * Ends bans that are over when the clock was set forward, and reports `restored` when it was set back. Cheap: for timers that run
   * anyway. Without it, listeners are notified within a minute.
   */
  readonly checkClock: () => void;
  /** Problems of the store, for /health. */
  readonly problems: () => readonly string[];
  /** Resolves with whether the store was closed. Its thread cannot be ended while the disk does not respond. */
  readonly close: () => Promise<boolean>;
}

/**
 * `restored`: `all` has bans, or ends of bans, that were not reported: the store was read after the start, or the clock was set back,
 * which moves every end. They are not reported one by one, because a reader may be slower than a million of them. `isShorter`: the ban replaced one that would last longer.
 */
export type BanChange =
  | { readonly kind: 'restored' }
  | { readonly kind: 'banned'; readonly ban: Ban; readonly isShorter?: true }
  | { readonly kind: 'unbanned'; readonly ban: Ban; readonly why: 'expired' | 'lifted' };
