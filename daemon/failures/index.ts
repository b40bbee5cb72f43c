/** The failure tracker: counts failures in memory, and bans addresses that reach a limit. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Audit } from '../audit/event.ts';
import type { BanOutcome, Bans } from '../bans/ban.ts';
import { exempt } from '../bans/exempt.ts';
import { Lifts } from '../bans/lifts.ts';
import { countersOf } from './counters.ts';
import { NetworkBans } from './networks.ts';
import { reasonOf, type Tally } from './reason.ts';
import { ownNetwork, Tallies } from './tallies.ts';
import type { Failure, FailureTracker } from './tracker.ts';

export interface FailureTrackerOptions {
  readonly config: Daemon;
  readonly bans: Bans;
  readonly audit: Audit;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
}

/** A tracker, with the method that a reload calls. */
export interface ConfigurableFailureTracker extends FailureTracker {
  /** Counted failures stay, except those with their own limit when it changes. Limits and windows change. */
  readonly configure: (config: Daemon) => void;
}

const faultEveryMs = 60_000;

/** Calls `forget` with the address or network of each ban that is lifted. */
function watchLifts(bans: Bans, forget: (ip: string) => void): void {
  bans.watch((change) => {
    if (change.kind === 'unbanned' && change.why === 'lifted') forget(change.ban.ip);
  });
}

/** Whether the failure happened before a ban of its address was lifted, and is reported only now. */
const isBefore = (lift: number, { at }: Failure): boolean => at !== undefined && at <= lift;

export function createFailureTracker(options: FailureTrackerOptions): ConfigurableFailureTracker {
  const { bans, audit, now } = options;
  const tallies = new Tallies();
  const networks = new NetworkBans();
  const lifts = new Lifts();
  let counters = countersOf(options.config);
  let exempted = exempt(options.config.global.never_ban);
  let faultAt = Number.NEGATIVE_INFINITY;

  const judge = (outcome: BanOutcome) => {
    if (outcome.ok || outcome.refusal !== 'too_many' || Math.abs(now() - faultAt) < faultEveryMs) return;
    faultAt = now();
    audit.fault(
      `an address was not banned: the table of bans is full (${daemonBounds.bans}). Lift bans or lower global.ban_duration`,
    );
  };

  /** Bans the network when its addresses were counted together, or only the address when the network contains an exempt one. */
  const ban = (key: string, failure: Failure, tally: Tally): boolean => {
    const { service, origin, ip } = failure;
    const reason = reasonOf(tally, failure);
    for (const target of new Set([key, ip])) {
      bans.add({ ip: target, reason, origin, ...(service !== undefined && { service }) }).then(judge);
      if (bans.covers(ip)) return true;
    }
    return false;
  };

  /** The network of an address that was just banned, when enough of its addresses are banned. */
  const crowdedNetwork = (ip: string): string | undefined => {
    const network = ownNetwork(ip);
    const known = network === undefined ? undefined : bans.covering(ip);
    if (network === undefined || known?.ip !== ip) return undefined;
    const banned = networks.add(network, ip, known.expiresAt ?? Number.POSITIVE_INFINITY, now());
    return banned >= daemonBounds.failureAddressesPerNetwork ? network : undefined;
  };

  const fail = (failure: Failure): boolean => {
    const lift = lifts.of(failure.ip) ?? Number.NEGATIVE_INFINITY;
    if (exempted.has(failure.ip) || isBefore(lift, failure)) return false;
    const applying = counters(failure);
    const key = applying.length > 0 ? tallies.keyOf(failure.ip, now()) : undefined;
    if (key === undefined) return false;
    const exceeded = tallies.of(key).since(lift).add(failure, applying, now());
    if (!exceeded) return false;
    tallies.delete(key);
    const isBanned = ban(key, failure, exceeded);
    const network = crowdedNetwork(failure.ip);
    if (network !== undefined) ban(network, failure, exceeded);
    return isBanned;
  };

  // Failures before the lift would soon ban the address again, and lifted bans its network.
  watchLifts(bans, (ip) => {
    tallies.delete(ip);
    networks.remove(ip);
    lifts.add(ip, now());
  });

  return {
    fail,
    size: () => tallies.size,
    configure: (config) => {
      counters = countersOf(config);
      exempted = exempt(config.global.never_ban);
    },
  };
}
