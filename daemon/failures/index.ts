/** Counts failures in memory, and bans addresses that reach a limit. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Audit } from '../audit/event.ts';
import type { BanOutcome, Bans } from '../bans/ban.ts';
import { createExempt, type Exempt } from '../bans/exempt.ts';
import { Lifts } from '../bans/lifts.ts';
import { type Counter, type CountersOf, countersOf } from './counters.ts';
import { RecentLines } from './lines.ts';
import { NetworkBans } from './networks.ts';
import { reasonOf } from './reason.ts';
import { Repeats } from './repeats.ts';
import { type SiteLimits, siteBits, siteLimitsOf } from './sites.ts';
import { ownNetwork, Tallies } from './tallies.ts';
import type { Failure, FailureTracker } from './tracker.ts';

type TrackedBans = Pick<Bans, 'add' | 'covers' | 'covering' | 'detected' | 'watchAll'>;

interface FailureTrackerOptions {
  readonly config: Daemon;
  readonly bans: TrackedBans;
  readonly audit: Pick<Audit, 'fault'>;
  readonly now: () => number;
}

export interface ConfigurableFailureTracker extends FailureTracker {
  /** Whether an address is never banned, so its failures do not count. */
  readonly isExempt: (ip: string) => boolean;
  /** Counted failures stay, unless the limit of their intake file or port scan has changed. */
  readonly configure: (config: Daemon) => void;
}

const faultEveryMs = 60_000;

/** Whether a failure that is reported now happened before the address was unbanned. */
const isBefore = (lift: number, { at }: Failure): boolean => at !== undefined && at <= lift;

interface CountedFailure {
  readonly failure: Failure;
  readonly counters: readonly Counter[];
  /** When the address was last unbanned. Earlier failures do not count. */
  readonly lift: number;
}

interface BanCause {
  readonly reason: string;
  /** The time in which the lines of the client are evidence. */
  readonly windowMs: number;
}

class FailureCounts implements ConfigurableFailureTracker {
  readonly #bans: TrackedBans;
  readonly #audit: Pick<Audit, 'fault'>;
  readonly #now: () => number;
  readonly #tallies = new Tallies();
  readonly #networks = new NetworkBans();
  readonly #lifts = new Lifts();
  readonly #repeats = new Repeats();
  readonly #lines = new RecentLines();
  #countersOf!: CountersOf; // `configure` sets this and the next two
  #siteLimits: SiteLimits | undefined;
  #exempt!: Exempt;
  #faultAt = Number.NEGATIVE_INFINITY;

  constructor({ config, bans, audit, now }: FailureTrackerOptions) {
    this.#bans = bans;
    this.#audit = audit;
    this.#now = now;
    this.configure(config);
    bans.watchAll((change) => {
      if (change.kind === 'unbanned' && change.why === 'lifted') this.#forget(change.ban.ip);
    });
  }

  configure(config: Daemon): void {
    this.#countersOf = countersOf(config);
    this.#siteLimits = siteLimitsOf(config);
    this.#exempt = createExempt(config.global.never_ban);
  }

  readonly size = (): number => this.#tallies.size;

  readonly isExempt = (ip: string): boolean => this.#exempt.has(ip);

  readonly fail = (failure: Failure): boolean => {
    const { ip } = failure;
    const lift = this.#lifts.lastLiftOf(ip, this.#now()) ?? Number.NEGATIVE_INFINITY;
    if (this.#exempt.has(ip) || isBefore(lift, failure)) return false;
    // Logins of a banned address began before its ban: they are a part of the same burst.
    if (failure.origin === 'local' && this.#bans.covers(ip)) return false;
    // A client with a detected ban would not have reached the server again.
    if (this.#bans.detected(ip) !== undefined) return false;
    const counters = this.#countersOf(failure);
    const key = counters.length > 0 ? this.#tallies.keyOf(ip, this.#now()) : undefined;
    if (key === undefined || this.#isRepeated(key, { failure, counters, lift })) return false;
    if (failure.line !== undefined) this.#lines.add(ip, failure.line, this.#now());
    const wasBanned = this.#bans.covers(ip);
    const isBanned = this.#count(key, { failure, counters, lift });
    if (isBanned) this.#banCrowded(failure);
    // Reports and gateways repeat failures of a banned address. These do not count for the site.
    const isSiteBanned = !wasBanned && this.#countForSite({ failure, counters, lift }, isBanned);
    if (isBanned || isSiteBanned) this.#lines.delete(ip);
    return (isBanned || isSiteBanned) && this.#bans.covers(ip);
  };

  /** Whether the same password of the same user has counted for the address or network within the longest window. */
  #isRepeated(key: string, { failure: { fingerprint, service = '' }, counters, lift }: CountedFailure): boolean {
    if (fingerprint === undefined) return false;
    const now = this.#now();
    const start = now - Math.max(...counters.map(({ windowMs }) => windowMs));
    this.#repeats.forget(start, now);
    return this.#repeats.has(`${fingerprint} ${key} ${service}`, Math.max(start, lift), now);
  }

  /**
   * Counts a failure for an address or network, and bans the address or network at the limit. Returns whether the limit
   * was reached and the client is banned.
   */
  #count(key: string, { failure, counters, lift }: CountedFailure): boolean {
    const exceeded = this.#tallies.tallyOf(key).forgetBefore(lift).add(failure, counters, this.#now());
    if (!exceeded) return false;
    this.#tallies.delete(key);
    return this.#ban(key, failure, { reason: reasonOf(exceeded, failure), windowMs: exceeded.windowMs });
  }

  /** Counts a failure for the /48 of the client, and a ban if `isBan`. Returns whether the /48 is banned now. */
  #countForSite({ failure, counters, lift }: CountedFailure, isBan: boolean): boolean {
    const site = this.#siteLimits && ownNetwork(failure.ip, siteBits);
    if (!this.#siteLimits || site === undefined) return false;
    const { failures, bans } = this.#siteLimits;
    if (this.#count(site, { failure, counters: failures(counters), lift })) return true;
    return isBan && this.#count(site, { failure: { ...failure, trigger: 'ban' }, counters: bans, lift });
  }

  /** Returns whether the client is banned now, or would be. */
  #ban(key: string, { service, origin, ip }: Failure, { reason, windowMs }: BanCause): boolean {
    const evidence = this.#lines.since(ip, this.#now() - windowMs);
    const request = { ip: key, reason, origin, isAutomatic: true, evidence, ...(service !== undefined && { service }) };
    this.#bans.add(request).then(this.#reportFullTable);
    return this.#bans.covers(ip) || this.#bans.detected(ip) !== undefined;
  }

  readonly #reportFullTable = (outcome: BanOutcome): void => {
    if (outcome.ok || outcome.refusal !== 'too_many' || Math.abs(this.#now() - this.#faultAt) < faultEveryMs) return;
    this.#faultAt = this.#now();
    this.#audit.fault(
      `an address was not banned: the table of bans is full (${daemonBounds.bans}). Lift bans or lower global.ban_duration`,
    );
  };

  /** Bans the /64 of an address that was just banned, when enough addresses of the /64 are banned. */
  #banCrowded(failure: Failure): void {
    const { ip } = failure;
    const network = ownNetwork(ip);
    const known = network === undefined ? undefined : (this.#bans.covering(ip) ?? this.#bans.detected(ip));
    if (network === undefined || known?.ip !== ip) return;
    const banned = this.#networks.add(network, ip, known.expiresAt ?? Number.POSITIVE_INFINITY, this.#now());
    if (banned >= daemonBounds.failureAddressesPerNetwork)
      this.#ban(network, failure, { reason: known.reason, windowMs: Number.POSITIVE_INFINITY });
  }

  /**
   * Forgets failures and bans after an unban. Otherwise earlier failures would soon lead to a new ban of the address,
   * and lifted bans to a ban of its network.
   */
  #forget(ip: string): void {
    this.#tallies.delete(ip);
    this.#tallies.delete(ownNetwork(ip, siteBits) ?? ip);
    this.#networks.remove(ip);
    this.#lifts.add(ip, this.#now());
  }
}

export const createFailureTracker = (options: FailureTrackerOptions): ConfigurableFailureTracker =>
  new FailureCounts(options);
