/** The gates of a process that decides on connections. */

import type { Client } from '../../address/client.ts';
import type { Bans } from '../../bans/ban.ts';
import type { ThreatFeed } from '../../feed/feed.ts';
import type { CountryOf } from '../../geo/database.ts';
import type { TableStats } from '../../stats/stats.ts';
import type { ConnectionTable } from '../connection-table.ts';
import { banGate } from './ban.ts';
import { capacityGate } from './capacity.ts';
import { rateGate } from './connection-rate.ts';
import { connectionsGate } from './connections.ts';
import { failureRateGate } from './failure-rate.ts';
import { feedGate } from './feed.ts';
import { filterGate } from './filter.ts';
import { type Arrival, type EachGate, firstOutcome, type Gate, type Refusal } from './gate.ts';
import { geoGate } from './geo.ts';

export interface GateSources {
  readonly connections: ConnectionTable;
  readonly bans: Bans;
  readonly feed: () => ThreatFeed | undefined;
  /** Called for a connection that `fallback_action: bypass` admits although a decision covers its client. */
  readonly bypassed: (arrival: Arrival) => void;
  readonly countryOf: CountryOf;
  readonly now: () => number;
}

export interface Gates {
  readonly refuses: (arrival: Arrival) => Refusal | undefined;
  /** Records a failed login of this client. */
  readonly failed: (client: Client) => void;
  /** The keys of clients whose failed logins may limit them. */
  readonly failing: () => Iterable<string>;
  /** Call it after a manual unban: earlier failures of these addresses no longer limit them. */
  readonly lifted: (ip: string) => void;
  readonly tables: () => Record<string, TableStats>;
}

export function createGates({ connections, bans, feed, bypassed, countryOf, now }: GateSources): Gates {
  const failureRate = failureRateGate(now);
  const gates = {
    capacity: capacityGate(connections),
    ban: banGate(bans),
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
    failing: failureRate.failing,
    lifted: failureRate.lifted,
    tables,
  };
}
