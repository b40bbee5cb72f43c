/** A gate: one check on a connection that has just been accepted, before a byte of it is read. */

import type { Client } from '../../address/client.ts';
import type { TableStats } from '../../stats/stats.ts';
import type { Rules, ServiceRules } from '../rules.ts';

export interface Arrival {
  readonly client: Client;
  readonly service: ServiceRules;
  readonly rules: Rules;
}

/** The reason of a refusal in the audit. */
export type Refusal =
  | 'capacity'
  | 'service_capacity'
  | 'ban'
  | 'threatfeed'
  | 'threatfeed_throttle'
  | 'failure_rate'
  | 'ip_filter'
  | 'geo'
  | 'max_connections_per_ip'
  | 'rate_limit';

export interface Gate {
  /** Whether the gate skips clients in `never_ban`. */
  readonly exempts: boolean;
  readonly refuses: (arrival: Arrival) => Refusal | undefined;
  /** The state that the gate keeps for its clients. */
  readonly table?: () => TableStats;
}
