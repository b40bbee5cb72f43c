/** Decides whether a connection is admitted: calls the gates, accounts for a refusal, and reserves a slot. */
import type { Client } from '../address/client.ts';
import type { Counts } from '../stats/counts.ts';
import type { ConnectionTable } from './connection-table.ts';
import { capacityRefusal } from './gates/capacity.ts';
import type { Gates } from './gates/index.ts';
import type { Recorder } from './recorder.ts';
import type { Rules, ServiceRules } from './rules.ts';

/** A service under one configuration. A connection keeps the configuration that it was accepted under. */
export interface Served {
  readonly service: ServiceRules;
  readonly rules: Rules;
  readonly counts: Counts;
  /** Set for a data connection of FTP. The gates `failure_rate` and `rate_limit` do not limit it. */
  readonly isData?: true;
}

type Verdict =
  /** The reason of a refusal, which is already counted and recorded. The caller ends the connection. */
  | { readonly refusal: string }
  /** Adds the admitted connection to the table. The caller must call it in the same turn of the event loop. */
  | { readonly enter: ConnectionTable['enter'] };

/**
 * Admits connections. `admit` and `reserve` call back with their result: before they return, or later when another
 * process decides.
 */
export interface Admission {
  readonly admit: (client: Client, served: Served, decided: (verdict: Verdict) => void) => void;
  /**
   * Reserves a slot until the PROXY header of a trusted proxy arrives. Calls back with a function that frees the slot,
   * or with undefined when no slot is free.
   */
  readonly reserve: (
    proxy: Client,
    served: Served,
    cut: () => void,
    decided: (free: (() => void) | undefined) => void,
  ) => void;
  /**
   * Reserves a slot for a refused connection in a tarpit or for a data port of FTP, because each uses a descriptor.
   * Returns a function that frees the slot.
   */
  readonly reserveDescriptor: (cut: () => void) => () => void;
}

export function accountForRefusal(client: Client, { service, counts }: Served, reason: string, record: Recorder): void {
  counts.blocked += 1;
  record(service, client, 'blocked', reason);
}

export interface AdmissionSources {
  readonly gates: Pick<Gates, 'refuses'>;
  readonly connections: Pick<ConnectionTable, 'enter' | 'reserve' | 'size' | 'occupiedSlotsOn'>;
  readonly record: Recorder;
}

export function createAdmission({ gates, connections, record }: AdmissionSources): Admission {
  const admitted: Verdict = { enter: connections.enter };
  return {
    admit: (client, served, decided) => {
      const { service, rules, isData } = served;
      const refusal = gates.refuses({ client, service, rules, isData });
      if (refusal === undefined) return decided(admitted);
      accountForRefusal(client, served, refusal, record);
      decided({ refusal });
    },
    reserve: (proxy, served, cut, decided) => {
      const refusal = capacityRefusal(connections, served.rules, served.service);
      if (refusal === undefined) return decided(connections.reserve(cut, served.service.name));
      accountForRefusal(proxy, served, refusal, record);
      decided(undefined);
    },
    reserveDescriptor: (cut) => connections.reserve(cut),
  };
}
