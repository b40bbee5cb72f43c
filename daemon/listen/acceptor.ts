/** Listens for the services and serves their connections, in this process or in workers. */

import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import type { Endpoint } from '../../contract/values/endpoint.ts';
import type { Served } from '../admission/admission.ts';
import type { PolicyTexts } from '../admission/policies.ts';
import type { Rules } from '../admission/rules.ts';
import type { Bans } from '../bans/ban.ts';
import type { PlaneStatus } from '../plane/choice.ts';
import type { Connection, PlaneCounters } from '../plane/plane.ts';
import { connectionCeiling } from '../process/limits.ts';
import type { SessionContext } from '../session/context.ts';
import { serveConnection } from '../session/serve.ts';
import { tarpitCapacity } from '../session/tarpit.ts';
import type { Tally } from '../stats/services.ts';
import type { TableStats } from '../stats/stats.ts';
import { createListeners, listenInThisProcess, type WantedListener } from './listeners.ts';
import { type OnProbe, type ProbeSinks, portScanTraps } from './port-scan.ts';

export interface Acceptor {
  /** Runs every step of a configuration that can fail in workers, except listening. Nothing is in force yet. */
  readonly prepare: (config: Daemon, policies: PolicyTexts) => Promise<readonly Problem[]>;
  /**
   * Listens for exactly the services and traps of the rules. When it rejects with a ListenError, the earlier listeners
   * are open: see `Listeners.change`.
   */
  readonly change: (rules: Rules) => Promise<void>;
  /** Puts the prepared configuration into force. */
  readonly adopt: () => Promise<void>;
  readonly endpointOf: (service: string) => Endpoint | undefined;
  /** The number of connections that the descriptor limit allows. */
  readonly ceiling: () => number;
  /**
   * Wraps the bans. `add` then resolves after every process has cut the open connections of the banned address, or
   * after a timeout.
   */
  readonly enforced: (bans: Bans) => Bans;
  /**
   * The number of open connections that workers admitted without the coordinator, on one service or on all. The
   * connection table does not include them.
   */
  readonly workerAdmittedCount: (service?: string) => number;
  /** Resolves when the counts of all workers have arrived, or after a timeout. */
  readonly refreshCounts: () => Promise<void>;
  /** `maxConnections`: the limit over all services. */
  readonly tables: (maxConnections: number) => Readonly<Record<string, TableStats>>;
  readonly dataPlane: () => PlaneStatus;
  /** The number of probes without the address of a client. */
  readonly unattributed: () => number;
  readonly problems: () => readonly string[];
  readonly isServing: () => boolean;
  /** Stops accepting, and releases the connections in the tarpit. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Handlers of accepted connections: of a service, and of a closed port. */
export interface ConnectionHandlers<Arrived> {
  readonly serve: (served: Served) => (arrived: Arrived) => void;
  readonly trap: (probe: OnProbe) => (arrived: Arrived) => void;
}

export const servicesOf = (rules: Rules, tally: Pick<Tally, 'of'>): Served[] =>
  [...rules.services.values()].map((service) => ({ service, rules, counts: tally.of(service.name) }));

/** The listeners of services and of traps, in one list: a port stays open when it moves from a service to a trap. */
export function wantedListenersOf<Arrived>(
  rules: Rules,
  tally: Tally,
  sinks: ProbeSinks,
  { serve, trap }: ConnectionHandlers<Arrived>,
): WantedListener<Arrived>[] {
  const services = servicesOf(rules, tally).map((served) => ({
    name: served.service.name,
    endpoint: served.service.listen,
    accept: serve(served),
  }));
  return [...services, ...portScanTraps(rules.config, sinks, trap)];
}

export const trapInThisProcess = (probe: OnProbe) => (connection: Connection) => {
  connection.end('reset');
  probe(connection.remote);
};

/** How long /health reports that a resource was exhausted, milliseconds. */
const reportedMs = 60_000;
export const exhaustionProblems = ({ exhaustedAt }: Pick<PlaneCounters, 'exhaustedAt'>): readonly string[] =>
  performance.now() - exhaustedAt < reportedMs
    ? [
        'a connection failed within the last minute because descriptors, ports or memory ran out: raise LimitNOFILE or lower global.max_connections',
      ]
    : [];

/** An acceptor that serves all connections in this process. `inherited`: see `listenInThisProcess`. */
export function localAcceptor<C extends Connection>(
  context: SessionContext<C>,
  tally: Tally,
  sinks: ProbeSinks,
  inherited: Map<string, number>,
  dataPlane: PlaneStatus,
): Acceptor {
  const { plane, audit, tarpit } = context;
  const listeners = createListeners(listenInThisProcess(plane, audit.fault, inherited), audit.fault, (name) =>
    inherited.has(name),
  );
  const handlers: ConnectionHandlers<C> = {
    serve: (served) => (connection) => serveConnection(connection, served, context),
    trap: trapInThisProcess,
  };
  return {
    prepare: async () => [],
    change: (rules) => listeners.change(wantedListenersOf(rules, tally, sinks, handlers)),
    adopt: async () => {},
    endpointOf: listeners.endpointOf,
    ceiling: connectionCeiling,
    enforced: (bans) => bans,
    workerAdmittedCount: () => 0,
    refreshCounts: async () => {},
    tables: (maxConnections) => ({
      tarpit: { entries: tarpit.size(), capacity: tarpitCapacity(maxConnections) },
    }),
    dataPlane: () => dataPlane,
    unattributed: () => sinks.unattributed.count,
    problems: () => [...listeners.problems(), ...exhaustionProblems(plane.counters())],
    isServing: () => true,
    stop: async () => {
      await listeners.change([]);
      tarpit.close();
    },
    close: async () => {},
  };
}
