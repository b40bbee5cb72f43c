/** Bans: addresses and networks that every service refuses until they expire. */
import type { storeStates } from '../../contract/api/state.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Prefix } from '../address/prefix.ts';

export type BanOrigin = 'local' | 'api' | 'intake' | 'port_scan';

export interface Ban {
  /** An address or network in canonical text, such as `192.0.2.1` or `2001:db8::/64`. */
  readonly ip: string;
  /** Text for the operator, such as `ssh: 5 failed logins in 60s`. */
  readonly reason: string;
  /** The service whose failures caused the ban. Null when no service caused it. */
  readonly service: string | null;
  readonly origin: BanOrigin;
  /** Milliseconds since the epoch. */
  readonly bannedAt: number;
  /** Milliseconds since the epoch. Null: permanent. */
  readonly expiresAt: number | null;
  /** Whether `bans.mode` is `detect`: the ban is only listed and recorded. */
  readonly isDetected?: true;
  /** In listings: the lines of a log that caused the ban. Printable and bounded by `banEvidence`. */
  readonly evidence?: readonly string[];
}

/** What named an address: a source of bans, CrowdSec by its own logs (`threatfeed`), or a list of CrowdSec. */
export interface EdgeSource {
  readonly origin: BanOrigin | 'threatfeed' | 'blocklist';
  readonly reason: string;
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
  /** Whether failures cause the ban. In mode `detect` it is not enforced. */
  readonly isAutomatic?: boolean;
  /** Lines of the log that caused the ban. See `evidenceLine`. */
  readonly evidence?: readonly string[];
  /** Whether the operator insists on a ban that would cut off others than the client. */
  readonly force?: boolean;
}

export type BanRefusal =
  /** Not an address or network, a network that is too wide, or reserved addresses that no client has. */
  | 'bad_address'
  /** The address, or every address of the network, is exempt: see exempt.ts. */
  | 'never_ban'
  /** It has addresses of a CDN or a load balancer, behind which are many clients. */
  | 'edge'
  | 'too_many';

export type BanOutcome =
  /** `isDurable` is false when the ban could not be written to disk. */
  | { readonly ok: true; readonly ban: Ban; readonly isDurable: boolean }
  | { readonly ok: false; readonly refusal: BanRefusal };

/** `isDurable` is false when the disk still has the ban: the next start would restore it. */
export interface LiftedBan {
  readonly ban: Ban;
  readonly isDurable: boolean;
}

export interface BanPage {
  readonly bans: readonly Ban[];
  /** The `cursor` of the next page. Undefined on the last page. */
  readonly cursor: string | undefined;
}

/**
 * `failing`: bans in force are not on disk. `stalled`: the disk does not respond. `unread`: bans on disk are not in
 * force.
 */
export type StoreState = (typeof storeStates)[number];

export interface Bans {
  /** Whether an address is banned and not exempt. */
  readonly covers: (ip: string) => boolean;
  /** Whether exactly this address or network is banned, also when it is exempt. */
  readonly hasExactly: (ip: string) => boolean;
  /** Whether an address is never banned. */
  readonly isExempt: (ip: string) => boolean;
  /** The ban that covers an address and lasts longest. Undefined when the address is exempt or not banned. */
  readonly covering: (ip: string) => Ban | undefined;
  /** The detected ban that covers an address, which is not enforced. */
  readonly detected: (ip: string) => Ban | undefined;
  /** Enforces the ban before it returns. Resolves when the ban is on disk or could not be written. */
  readonly add: (request: BanRequest) => Promise<BanOutcome>;
  /** Whether a network contains exempt addresses, to which its ban does not apply. */
  readonly spares: (ip: string) => boolean;
  /** Lifts the ban of exactly this address or network. Resolves with undefined without such a ban. */
  readonly remove: (ip: string) => Promise<LiftedBan | undefined>;
  /** Lifts all bans. `isDurable` is false when the disk still has one of them. */
  readonly clear: () => Promise<{ readonly count: number; readonly isDurable: boolean }>;
  /** Returns bans sorted by address, after a cursor. With `ip`: the bans that cover it, widest first. */
  readonly list: (options: { readonly limit: number; readonly cursor?: string; readonly ip?: string }) => BanPage;
  /** Iterates over every enforced ban, unsorted. Bans may change meanwhile. */
  readonly all: () => Iterable<Ban>;
  /** The number of enforced bans. */
  readonly count: () => number;
  readonly detectedCount: () => number;
  /** Calls the listener for each enforced ban before `add` resolves, and for each end of one. */
  readonly watch: (listener: BanListener) => () => void;
  /** Like `watch`, also for detected bans. */
  readonly watchAll: (listener: BanListener) => () => void;
  /**
   * Whether addresses are of a CDN or a load balancer, which no automatic source may cut off. Counts them, and says once which
   * source named them.
   */
  readonly refusesEdge: (prefix: Prefix, source: EdgeSource) => boolean;
  /** The number of bans that were refused because the address is that of a CDN or a load balancer. */
  readonly sparedEdges: () => number;
  readonly store: () => StoreState;
  /**
   * Checks whether the wall clock was set. Without this call, listeners get the ends of bans up to a minute late after
   * the clock was set forward, and no `restored` after it was set back.
   */
  readonly checkClock: () => void;
  readonly problems: () => readonly string[];
  /** Resolves with false when the store could not be closed, because the disk does not respond. */
  readonly close: () => Promise<boolean>;
}

export interface ConfigurableBans extends Bans {
  /** Applies a configuration. Lifts bans whose addresses are all exempt now. Other bans keep their end. */
  readonly configure: (config: Daemon) => void;
  /** Sets the addresses and networks that are exempt for now. Their bans stay, and are in force again afterwards. */
  readonly exempt: (networks: readonly string[]) => void;
}

export type BanListener = (change: BanChange) => void;

/**
 * `restored`: the store was read after the start, the clock was set back, or exemptions changed. The listener must read `all` again.
 * `isShorter`: the ban replaced a longer one. `unlisted`: a list that bans no longer has the address.
 */
export type BanChange =
  | { readonly kind: 'restored' }
  | { readonly kind: 'banned'; readonly ban: Ban; readonly isShorter?: true }
  | { readonly kind: 'unbanned'; readonly ban: Ban; readonly why: 'expired' | 'lifted' | 'unlisted' };
