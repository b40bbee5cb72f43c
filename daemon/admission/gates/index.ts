/** The gates of a process that decides on connections. */

import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Client } from '../../address/client.ts';
import type { Bans } from '../../bans/ban.ts';
import type { CountryOf } from '../../geo/database.ts';
import type { TableStats } from '../../stats/stats.ts';
import type { ConnectionTable } from '../connection-table.ts';
import { createBuckets } from './bucket.ts';
import { capacityRefusal } from './capacity.ts';
import { type FailureRateGate, failureRateGate } from './failure-rate.ts';
import { type FeedGateOptions, feedGate } from './feed.ts';
import { type Arrival, type EachGate, filterGate, firstOutcome, type Gate, type Refusal } from './gate.ts';
import { geoGate } from './geo.ts';

export interface GateSources extends FeedGateOptions {
  readonly connections: ConnectionTable;
  readonly bans: Bans;
  readonly countryOf: CountryOf;
}

export interface Gates extends Pick<FailureRateGate, 'failed' | 'isFailing' | 'failing' | 'lifted'> {
  readonly refuses: (arrival: Arrival) => Refusal | undefined;
  readonly tables: () => Record<string, TableStats>;
}

/** Limits the open connections of one client, on all services together and on each service. */
function connectionsGate(connections: ConnectionTable): Gate {
  const isReached = (most: number, client: Client, service?: string) =>
    most > 0 && connections.countOf(client, service) >= most;
  return {
    refuses: ({ client, service, rules }) => {
      const overAll = isReached(rules.config.global.max_connections_per_ip, client);
      const here = isReached(service.config.max_connections_per_ip, client, service.name);
      return overAll || here ? 'max_connections_per_ip' : undefined;
    },
  };
}

/** Limits new connections of one client to one service with a token bucket. */
function rateGate(now: () => number): Gate {
  const buckets = createBuckets(daemonBounds.rateKeys, now);
  return {
    refuses: ({ client, service }) => {
      const limit = service.config.rate_limit;
      if (!limit) return undefined;
      const rate = { perMinute: limit.connections_per_minute, burst: limit.burst };
      return buckets.consume(`${service.name} ${client.key}`, rate) ? undefined : 'rate_limit';
    },
    table: buckets.stats,
  };
}

export function createGates({ connections, bans, feed, bypassed, countryOf, now }: GateSources): Gates {
  const failureRate = failureRateGate(now);
  const gates = {
    capacity: { refuses: ({ rules, service }) => capacityRefusal(connections, rules, service) },
    ban: { refuses: ({ client }) => (bans.covers(client.ip) ? 'ban' : undefined) },
    threatfeed: feedGate({ feed, bypassed, now }),
    failure_rate: failureRate,
    ip_filter: filterGate,
    geo: geoGate(countryOf),
    connections: connectionsGate(connections),
    rate_limit: rateGate(now),
  } satisfies EachGate<Gate>;

  const tables = () =>
    Object.fromEntries(
      Object.entries(gates).flatMap(([name, { table }]: [string, Gate]) => (table ? [[name, table()]] : [])),
    );
  return {
    refuses: (arrival) => firstOutcome<Refusal>(gates, arrival),
    failed: failureRate.failed,
    isFailing: failureRate.isFailing,
    failing: failureRate.failing,
    lifted: failureRate.lifted,
    tables,
  };
}
