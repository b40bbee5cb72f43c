/** Bans: addresses and networks that every service refuses until they expire. */
import type { storeStates } from '../../contract/api/records.ts';

/** The origin of a ban: failures at a service, the API, gateway events, or the port-scan trap. */
export type BanOrigin = 'local' | 'api' | 'intake' | 'port_scan';

export interface Ban {
  /** Address or network in canonical text, such as `192.0.2.1` or `2001:db8::/64`. */
  readonly ip: string;
  /** Service and trigger, such as `ssh: 5 failed logins in 60s`. */
  readonly reason: string;
  /** The service whose failures caused the ban. Null when no service caused it. */
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
  /** Milliseconds. Null: permanent. Absent: the configured duration of the service, grown for repeat offenders. */
  readonly durationMs?: number | null;
  /** Whether a shorter ban may replace a longer one. */
  readonly replace?: boolean;
}

export type BanRefusal =
  /** The text is not an address or network, or the network is too wide. */
  | 'bad_address'
  /** The address, or every address of the network, is exempt: see exempt.ts. */
  | 'never_ban'
  /** The table of bans is full. */
  | 'too_many';

export type BanOutcome =
  /** `isDurable` is false when the ban is enforced but could not be written to disk. */
  | { readonly ok: true; readonly ban: Ban; readonly isDurable: boolean }
  | { readonly ok: false; readonly refusal: BanRefusal };

/** `isDurable` is false when the disk still has the ban: the next start would restore it. */
export interface LiftedBan {
  readonly ban: Ban;
  readonly isDurable: boolean;
}

export interface BanPage {
  readonly bans: readonly Ban[];
  /** The `cursor` that `list` needs for the next page. Undefined on the last page. */
  readonly cursor: string | undefined;
}

/**
 * `failing`: bans in force are not on disk. `stalled`: the disk does not respond. `unread`: bans on disk are not in
 * force.
 */
export type StoreState = (typeof storeStates)[number];

export interface Bans {
  /** Whether a ban is in force for an address and the address is not exempt. Runs for each new connection. */
  readonly covers: (ip: string) => boolean;
  /** The ban in force that covers an address. If there are several, the one that lasts longest. */
  readonly covering: (ip: string) => Ban | undefined;
  /** Enforces the ban before it returns. Resolves when the ban is on disk. */
  readonly add: (request: BanRequest) => Promise<BanOutcome>;
  /** Whether a network contains exempt addresses. Its ban does not apply to these. */
  readonly spares: (ip: string) => boolean;
  /** Lifts the ban of exactly this address or network before it returns. Undefined: there is no such ban. */
  readonly remove: (ip: string) => Promise<LiftedBan | undefined>;
  /** Returns bans sorted by address, after a cursor. With `ip`: all bans that cover it, widest first, on one page. */
  readonly list: (options: { readonly limit: number; readonly cursor?: string; readonly ip?: string }) => BanPage;
  /**
   * Iterates over every ban, unsorted. Bans may change during the iteration: a ban in force all the time appears once.
   */
  readonly all: () => Iterable<Ban>;
  readonly count: () => number;
  /**
   * Calls the listener for each ban before `add` resolves, for each end of a ban, and when the store is read after the
   * start.
   */
  readonly watch: (listener: (change: BanChange) => void) => () => void;
  readonly store: () => StoreState;
  /**
   * Compares the wall clock with a monotonic one. If it was set forward, ends expired bans. If it was set back, reports
   * `restored`. The call is cheap. Without it, listeners are notified within a minute.
   */
  readonly checkClock: () => void;
  /** Problems of the store, for /health. */
  readonly problems: () => readonly string[];
  /** Resolves with false when the store could not be closed, because the disk does not respond to its thread. */
  readonly close: () => Promise<boolean>;
}

/**
 * `restored`: many bans changed at once, because the store was read after the start, or the clock was set back. The
 * listener must read `all` again: one event for each of a million bans would be too slow. `isShorter`: the ban replaced
 * one that would have lasted longer.
 */
export type BanChange =
  | { readonly kind: 'restored' }
  | { readonly kind: 'banned'; readonly ban: Ban; readonly isShorter?: true }
  | { readonly kind: 'unbanned'; readonly ban: Ban; readonly why: 'expired' | 'lifted' };
