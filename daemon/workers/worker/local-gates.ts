/**
 * The gates of a worker, with the order and outcomes of the coordinator. A gate with counters passes the connection to
 * the coordinator, which runs all of its gates: so no connection is counted twice.
 */
import { type Arrival, type EachGate, filterGate, firstOutcome, type Refusal } from '../../admission/gates/gate.ts';
import { geoGate, needsCountry } from '../../admission/gates/geo.ts';
import type { ThreatFeed } from '../../feed/feed.ts';
import type { Geo } from '../../geo/index.ts';
import { shareOf } from '../link/client-share.ts';
import type { Allowance } from './allowance.ts';
import type { FailingClients } from './failing-clients.ts';
import type { Replica } from './replica.ts';

interface LocalGateSources {
  readonly replica: Pick<Replica, 'covers' | 'covering'>;
  readonly failing: Pick<FailingClients, 'has'>;
  readonly allowance: Pick<Allowance, 'reachedLimit' | 'isFree' | 'countOf'>;
  /** The keys of clients whose connections the coordinator counts. */
  readonly counted: ReadonlySet<string>;
  /** The number of workers. */
  readonly workers: number;
  readonly geo: Pick<Geo, 'countryOf' | 'isMissing'>;
  /** Counts a connection whose client was looked up in the threat feed. */
  readonly account: ThreatFeed['account'];
  /** Records a connection that `fallback_action: bypass` admits in spite of a decision. */
  readonly bypassed: (arrival: Arrival) => void;
}

type LocalVerdict = { readonly refusal: Refusal } | 'admitted' | 'coordinator';

type Outcome = Refusal | 'coordinator';

interface LocalGate {
  readonly refuses: (arrival: Arrival) => Outcome | undefined;
}

/** A gate that passes connections to the coordinator, which has the counters. */
const coordinatorGate = (applies: (arrival: Arrival) => boolean): LocalGate => ({
  refuses: (arrival) => (applies(arrival) ? 'coordinator' : undefined),
});

interface FeedResult {
  readonly outcome: Parameters<ThreatFeed['account']>[0];
  readonly isBypassed: boolean;
}

/** A gate that passes connections to the coordinator beyond this worker's share of a limit for each client. */
function connectionsGate({ allowance, counted, workers }: LocalGateSources): LocalGate {
  return coordinatorGate(({ client, service, rules }) => {
    const [overAll, here] = [rules.config.global.max_connections_per_ip, service.config.max_connections_per_ip];
    if (overAll === 0 && here === 0) return false;
    if (counted.has(client.key)) return true;
    const isUsed = (limit: number, name?: string) =>
      limit > 0 && allowance.countOf(client, name) >= shareOf(limit, workers);
    return isUsed(overAll) || isUsed(here, service.name);
  });
}

export function createLocalGates(sources: LocalGateSources): (arrival: Arrival) => LocalVerdict {
  const { replica, failing, allowance, geo, account, bypassed } = sources;
  /** The result of the threat feed for the current connection. */
  let feedResult: FeedResult | undefined;

  const threatfeed = ({ client, rules }: Arrival): Outcome | undefined => {
    const { enabled, fallback_action: action } = rules.config.threatfeed;
    if (!enabled) return undefined;
    const decision = replica.covering(client.ip);
    if (decision && action === 'throttle') return 'coordinator';
    const isRefused = decision !== undefined && action === 'ban';
    const isIpv6 = client.address.family === 6;
    const remediation = isRefused && { remediation: action };
    const outcome = { isIpv6, ...(decision && { origin: decision.origin }), ...remediation };
    feedResult = { outcome, isBypassed: decision !== undefined && !isRefused };
    return isRefused ? 'threatfeed' : undefined;
  };
  const inCountry = geoGate(geo.countryOf);
  const gates: EachGate<LocalGate> = {
    capacity: coordinatorGate(() => false), // the limit is read after the other gates, and replaces their refusal
    ban: { refuses: ({ client }) => (replica.covers(client.ip) ? 'ban' : undefined) },
    threatfeed: { refuses: threatfeed },
    failure_rate: coordinatorGate(
      ({ client, service, rules }) => service.limitsFailing && failing.has(client.key, rules.failureWindowMs),
    ),
    ip_filter: filterGate,
    geo: {
      refuses: (arrival) => (geo.isMissing() && needsCountry(arrival) ? 'coordinator' : inCountry.refuses(arrival)),
    },
    connections: connectionsGate(sources),
    rate_limit: coordinatorGate(({ service }) => service.config.rate_limit !== undefined),
  };
  const settle = (arrival: Arrival): void => {
    if (feedResult?.isBypassed) bypassed(arrival);
    if (feedResult) account(feedResult.outcome);
  };
  return (arrival) => {
    feedResult = undefined;
    const outcome = firstOutcome(gates, arrival);
    if (outcome === 'coordinator') return outcome;
    const reachedLimit = allowance.reachedLimit(arrival.service.name);
    if (outcome === undefined && (reachedLimit || !allowance.isFree(arrival.service.name))) return 'coordinator';
    if (outcome !== undefined && reachedLimit) return { refusal: reachedLimit };
    settle(arrival);
    return outcome === undefined ? 'admitted' : { refusal: outcome };
  };
}
