/** What listens for the services and serves their connections: this process, or workers. */

import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import type { Endpoint } from '../../contract/values/endpoint.ts';
import type { Served } from '../admission/admission.ts';
import type { Rules } from '../admission/rules.ts';
import type { Bans } from '../bans/ban.ts';
import type { Connection, PlaneCounters } from '../plane/plane.ts';
import { connectionCeiling } from '../process/limits.ts';
import type { SessionContext } from '../session/context.ts';
import { serveConnection } from '../session/serve.ts';
import type { Tally } from '../stats/services.ts';
import type { TableStats } from '../stats/stats.ts';
import { createListeners, listenHere, type Wanted } from './listeners.ts';
import { type OnProbe, type ProbeSinks, portScanTraps } from './port-scan.ts';

export interface Acceptor {
  /** Whatever of a configuration can fail but listening. Nothing of it is in force yet. */
  readonly prepare: (config: Daemon) => Promise<readonly Problem[]>;
  /** Listens for these services and nothing else; rejects with a ListenError, and everything is as it was. */
  readonly change: (rules: Rules) => Promise<void>;
  /** Puts what was prepared into force. */
  readonly adopt: () => Promise<void>;
  readonly endpointOf: (service: string) => Endpoint | undefined;
  /** Connections that descriptors carry. */
  readonly ceiling: () => number;
  /** The bans, of which a new one is in force for open connections too when it resolves. */
  readonly enforced: (bans: Bans) => Bans;
  /** Brings the counts up to now. */
  readonly recount: () => Promise<void>;
  readonly tables: () => Readonly<Record<string, TableStats>>;
  readonly problems: () => readonly string[];
  readonly isServing: () => boolean;
  /** Records that were lost on the way to the audit. */
  readonly dropped: () => number;
  /** Accepts no more, and lets go of refused connections that are held. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What becomes of what arrives, for services and for closed ports. */
export interface ConnectionHandlers<Arrived> {
  readonly serve: (served: Served) => (arrived: Arrived) => void;
  readonly trap: (probe: OnProbe) => (arrived: Arrived) => void;
}

/** Services and traps are one list, so that a port goes from one to the other without a moment in between. */
export function wantedBy<Arrived>(
  rules: Rules,
  tally: Tally,
  sinks: ProbeSinks,
  { serve, trap }: ConnectionHandlers<Arrived>,
): Wanted<Arrived>[] {
  const services = [...rules.services.values()].map((service) => ({
    name: service.name,
    endpoint: service.listen,
    accept: serve({ service, rules, counts: tally.of(service.name) }),
  }));
  return [...services, ...portScanTraps(rules.config, sinks, trap)];
}

/** Ends a connection to a closed port. */
export const trapHere = (probe: OnProbe) => (connection: Connection) => {
  connection.end('reset');
  probe(connection.remote);
};

/** How long it is said that something lacked, milliseconds. */
const reportedMs = 60_000;
export const exhaustion = ({ exhaustedAt }: Pick<PlaneCounters, 'exhaustedAt'>): readonly string[] =>
  performance.now() - exhaustedAt < reportedMs
    ? ['within the last minute there were no descriptors, ports or memory for a connection']
    : [];

/** Everything in this process. */
export function localAcceptor(context: SessionContext, tally: Tally, sinks: ProbeSinks): Acceptor {
  const { plane, audit, tarpit } = context;
  const listeners = createListeners(listenHere(plane, audit.fault), audit.fault);
  const handlers: ConnectionHandlers<Connection> = {
    serve: (served) => (connection) => serveConnection(connection, served, context),
    trap: trapHere,
  };
  return {
    prepare: async () => [],
    change: (rules) => listeners.change(wantedBy(rules, tally, sinks, handlers)),
    adopt: async () => {},
    endpointOf: listeners.endpointOf,
    ceiling: connectionCeiling,
    enforced: (bans) => bans,
    recount: async () => {},
    tables: () => ({ tarpit: tarpit.stats() }),
    problems: () => [...listeners.problems(), ...exhaustion(plane.counters())],
    isServing: () => true,
    dropped: () => 0,
    stop: async () => {
      await listeners.change([]);
      tarpit.close();
    },
    close: async () => {},
  };
}
