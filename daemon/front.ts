/** What listens for the services and serves their connections: this process, or workers. */

import type { Daemon } from '../contract/daemon.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Problem } from '../contract/load/index.ts';
import type { Bans } from './bans/ban.ts';
import type { TableStats } from './core.ts';
import type { Deps } from './deps.ts';
import type { Served } from './judge.ts';
import { connectionCeiling } from './limits.ts';
import { createListeners, listenHere, type Wanted } from './listeners.ts';
import type { Tally } from './overview.ts';
import type { Rules } from './rules.ts';
import { serveConnection } from './service.ts';

export interface Front {
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
  readonly tables: () => Readonly<Record<string, TableStats>>;
  readonly problems: () => readonly string[];
  readonly isServing: () => boolean;
  /** Records that were lost on the way to the audit. */
  readonly dropped: () => number;
  /** Accepts no more, and lets go of refused connections that are held. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What each service is wanted for, with `accept` for what arrives. */
export const wantedBy = <Arrived>(
  rules: Rules,
  tally: Tally,
  accept: (served: Served) => (arrived: Arrived) => void,
): Wanted<Arrived>[] =>
  [...rules.services.values()].map((service) => ({
    name: service.name,
    endpoint: service.listen,
    accept: accept({ service, rules, counts: tally.of(service.name) }),
  }));

/** Everything in this process. */
export function localFront(deps: Deps, tally: Tally): Front {
  const { plane, audit, tarpit } = deps;
  const listeners = createListeners(listenHere(plane, audit.fault));
  return {
    prepare: async () => [],
    change: (rules) =>
      listeners.change(wantedBy(rules, tally, (served) => (connection) => serveConnection(connection, served, deps))),
    adopt: async () => {},
    endpointOf: listeners.endpointOf,
    ceiling: connectionCeiling,
    enforced: (bans) => bans,
    tables: () => ({ tarpit: tarpit.stats() }),
    problems: () => [],
    isServing: () => true,
    dropped: () => 0,
    stop: async () => {
      await listeners.change([]);
      tarpit.close();
    },
    close: async () => {},
  };
}
