/** What a gate is: one question about a connection that has just been accepted, before a byte of it is read. */

import type { Client } from '../../address/client.ts';
import type { TableStats } from '../../stats/stats.ts';
import type { Rules, ServiceRules } from '../rules.ts';

export interface Arrival {
  readonly client: Client;
  readonly service: ServiceRules;
  readonly rules: Rules;
}

/** Why a connection is refused, as the audit names it. */
export type Refusal =
  | 'capacity'
  | 'ban'
  | 'threatfeed'
  | 'threatfeed_throttle'
  | 'failure_rate'
  | 'ip_filter'
  | 'geo'
  | 'max_connections_per_ip'
  | 'rate_limit';

export interface Gate {
  /** Whether clients in `never_ban` pass without being asked. */
  readonly exempts: boolean;
  readonly refuses: (arrival: Arrival) => Refusal | undefined;
  /** What it remembers of clients. */
  readonly table?: () => TableStats;
}
