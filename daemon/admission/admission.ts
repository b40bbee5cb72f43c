/** Whether a connection is let in: the gates are asked, a refusal is accounted for, and who is let in gets a place. */
import type { Client } from '../address/client.ts';
import type { Counts } from '../stats/counts.ts';
import type { ConnectionTable } from './connection-table.ts';
import type { Gates } from './gates/index.ts';
import type { Recorder } from './recorder.ts';
import type { Rules, ServiceRules } from './rules.ts';

/** A service under one configuration. Connections keep the one they were accepted under. */
export interface Served {
  readonly service: ServiceRules;
  readonly rules: Rules;
  readonly counts: Counts;
}

export type Verdict =
  /** Accounted for; the connection is still to be ended. */
  | { readonly refusal: string }
  /** To be called in the same turn. */
  | { readonly enter: ConnectionTable['enter'] };

/** Decisions are told at once, or later when another process decides. */
export interface Admission {
  readonly admit: (client: Client, served: Served, decided: (verdict: Verdict) => void) => void;
  /** A place for a connection of a neighbour, until it has said who its client is: what frees it, or that there is none. */
  readonly reserve: (
    proxy: Client,
    served: Served,
    cut: () => void,
    decided: (free: (() => void) | undefined) => void,
  ) => void;
  /** A place for a connection that was refused and is held all the same. Returns what frees it. */
  readonly hold: (cut: () => void) => () => void;
}

/** Counts and records a refusal. */
export function account(client: Client, { service, counts }: Served, reason: string, record: Recorder): void {
  counts.blocked += 1;
  record(service, client, 'blocked', reason);
}

export interface AdmissionSources {
  readonly gates: Pick<Gates, 'refuses'>;
  readonly connections: Pick<ConnectionTable, 'enter' | 'reserve' | 'size'>;
  readonly record: Recorder;
}

export function createAdmission({ gates, connections, record }: AdmissionSources): Admission {
  const admitted: Verdict = { enter: connections.enter };
  return {
    admit: (client, served, decided) => {
      const refusal = gates.refuses({ client, service: served.service, rules: served.rules });
      if (refusal === undefined) return decided(admitted);
      account(client, served, refusal, record);
      decided({ refusal });
    },
    reserve: (proxy, served, cut, decided) => {
      if (connections.size() < served.rules.maxConnections) return decided(connections.reserve(cut));
      account(proxy, served, 'capacity', record);
      decided(undefined);
    },
    hold: connections.reserve,
  };
}
