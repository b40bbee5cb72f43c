/** Bans: addresses and networks that are refused on all services until they expire. */

/** Who banned: a service's failures, the port-scan trap, the API, the intake of gateway events. */
export type BanOrigin = 'local' | 'api' | 'intake' | 'port_scan';

export interface Ban {
  /** An address or network in canonical text, such as `192.0.2.1` or `2001:db8::/64`. */
  readonly ip: string;
  /** Names service and trigger, such as `ssh: 5 failed logins in 60s`. */
  readonly reason: string;
  /** The service whose failures banned; null: none. */
  readonly service: string | null;
  readonly origin: BanOrigin;
  /** Milliseconds since the epoch. */
  readonly bannedAt: number;
  /** The same; null: never. */
  readonly expiresAt: number | null;
}

export interface BanRequest {
  readonly ip: string;
  readonly reason: string;
  readonly service?: string;
  readonly origin: BanOrigin;
  /** Milliseconds; null: permanent. Absent: the configured duration of the service, grown for repeaters. */
  readonly durationMs?: number | null;
  /** A shorter ban may replace a longer one. */
  readonly replace?: boolean;
}

export type BanRefusal =
  /** No address or network, or one that is too wide. */
  | 'bad_address'
  /** The address is in `never_ban`, or the network covers one that is. */
  | 'never_ban'
  /** More bans than are kept. */
  | 'too_many';

export type BanOutcome =
  /** `isDurable` false: it is enforced and could not be written to disk. */
  | { readonly ok: true; readonly ban: Ban; readonly isDurable: boolean }
  | { readonly ok: false; readonly refusal: BanRefusal };

/** `isDurable` false: it could not be written to disk, and the next start would have the ban again. */
export interface Lifted {
  readonly ban: Ban;
  readonly isDurable: boolean;
}

export interface BanPage {
  readonly bans: readonly Ban[];
  /** For the next page; undefined: this was the last. */
  readonly cursor: string | undefined;
}

export interface Bans {
  /** Whether a ban covers an address. Fast: asked for each new connection. */
  readonly covers: (ip: string) => boolean;
  /** The ban that covers an address, if one does: the one that lasts longest. */
  readonly covering: (ip: string) => Ban | undefined;
  /** Enforced when it returns, durable when it resolves. */
  readonly add: (request: BanRequest) => Promise<BanOutcome>;
  /** The ban of exactly this address or network that was lifted; undefined: there is none. Lifted when it returns. */
  readonly remove: (ip: string) => Promise<Lifted | undefined>;
  /** By address, from a cursor. With `ip`: the bans that cover this address or network, widest first, on one page. */
  readonly list: (options: { readonly limit: number; readonly cursor?: string; readonly ip?: string }) => BanPage;
  readonly count: () => number;
  /** Told of every ban, before `add` resolves, and of every end of one. */
  readonly watch: (listener: (change: BanChange) => void) => () => void;
  /** What is wrong with the store, for /health; empty: nothing. */
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}

export type BanChange =
  | { readonly kind: 'banned'; readonly ban: Ban }
  | { readonly kind: 'unbanned'; readonly ban: Ban; readonly why: 'expired' | 'lifted' };
