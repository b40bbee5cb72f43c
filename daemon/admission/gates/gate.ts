/** Gates: checks on a new connection as soon as its client is known, before its data is inspected or relayed. */

import type { Client } from '../../address/client.ts';
import type { TableStats } from '../../stats/stats.ts';
import type { Rules, ServiceRules } from '../rules.ts';

export interface Arrival {
  readonly client: Client;
  readonly service: ServiceRules;
  readonly rules: Rules;
  /** Whether it is a data connection of FTP: see `Served`. */
  readonly isData?: boolean | undefined;
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
  readonly refuses: (arrival: Arrival) => Refusal | undefined;
  /** The size and capacity of the gate's table of clients. */
  readonly table?: () => TableStats;
}

/**
 * The gates in their order, which is the same in every process. `exempts`: whether the gate skips clients in
 * `never_ban`. `skipsData`: whether it skips data connections of FTP, since each file of a transfer opens one.
 */
const gateOrder = [
  { name: 'capacity', exempts: false, skipsData: false },
  { name: 'ban', exempts: true, skipsData: false },
  { name: 'threatfeed', exempts: true, skipsData: false },
  { name: 'failure_rate', exempts: true, skipsData: true },
  { name: 'ip_filter', exempts: false, skipsData: false },
  { name: 'geo', exempts: false, skipsData: false },
  { name: 'connections', exempts: false, skipsData: false },
  { name: 'rate_limit', exempts: false, skipsData: true },
] as const;

type GateName = (typeof gateOrder)[number]['name'];

export type EachGate<Value> = Readonly<Record<GateName, Value>>;

/** Returns the outcome of the first gate that has one. Later gates are not called. */
export function firstOutcome<Outcome>(
  gates: EachGate<{ readonly refuses: (arrival: Arrival) => Outcome | undefined }>,
  arrival: Arrival,
): Outcome | undefined {
  const isExempt = arrival.rules.neverBan.has(arrival.client.address);
  for (const { name, exempts, skipsData } of gateOrder) {
    const isSkipped = (exempts && isExempt) || (skipsData && arrival.isData);
    const outcome = isSkipped ? undefined : gates[name].refuses(arrival);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

/** Applies the global and the per-service address lists. */
export const filterGate: Gate = {
  refuses: ({ client, service, rules }) =>
    rules.ipFilter.admits(client.address) && service.ipFilter.admits(client.address) ? undefined : 'ip_filter',
};
