/** The daemon as a whole: its parts, built once and joined. */

import { daemonBounds } from '../contract/daemon/bounds.ts';
import type { Daemon } from '../contract/daemon.ts';
import type { Loaded } from '../contract/load/index.ts';
import { noBans, noFailures } from './absent.ts';
import { createAudit } from './audit/index.ts';
import { createConnections } from './connections.ts';
import type { Core, ReloadOutcome, ServiceInfo, ServiceStats } from './core.ts';
import type { Deps } from './deps.ts';
import { createGates } from './gates/index.ts';
import { connectionCeiling, ownAddresses } from './limits.ts';
import { createListeners, type Wanted } from './listeners.ts';
import { createNetPlane } from './plane/net.ts';
import type { DataPlane } from './plane/plane.ts';
import { compileRules, type Rules, type ServiceRules } from './rules.ts';
import { serveConnection } from './service.ts';
import { type Counts, noCounts } from './stats.ts';
import { createTarpit } from './tarpit.ts';

export interface DaemonOptions {
  readonly version: string;
  /** Reads the configuration again. */
  readonly read: () => Loaded<Daemon>;
  readonly now?: () => number;
  readonly plane?: DataPlane;
}

export type RunningDaemon = Core & {
  /** Accepts no more, gives connections `drainMs` to end, and lets go of everything. */
  readonly close: () => Promise<void>;
};

/** Starts everything, or rejects and leaves nothing behind. */
export async function startDaemon(config: Daemon, options: DaemonOptions): Promise<RunningDaemon> {
  const { version, read, now = Date.now, plane = createNetPlane() } = options;
  const startedAt = now();
  const audit = createAudit({ config, now });
  const connections = createConnections();
  const tarpit = createTarpit();
  const bans = noBans;
  const failures = noFailures;
  const monotonic = () => performance.now();
  const gates = createGates({ connections, bans, feed: () => undefined, countryOf: () => '', now: monotonic });
  const counts = new Map<string, Counts>();
  let rules = compile(config);
  let isDraining = false;

  function compile(next: Daemon): Rules {
    return compileRules(next, {
      ownAddresses: ownAddresses(),
      connectionCeiling: connectionCeiling(),
      guards: new Map(),
    });
  }

  const deps: Deps = {
    plane,
    connections,
    gates,
    tarpit,
    failures,
    audit,
    rules: () => rules,
    record: (service, client, action, reason, details) =>
      audit.record({
        type: 'security_event',
        timestamp: new Date(now()).toISOString(),
        service: service.name,
        protocol: service.config.protocol,
        client_ip: client.ip,
        client_port: client.port,
        country_code: '',
        action,
        reason,
        bytes_in: 0,
        bytes_out: 0,
        duration_ms: 0,
        ...details,
      }),
  };

  const countsOf = (name: string): Counts => {
    const known = counts.get(name) ?? noCounts();
    counts.set(name, known);
    return known;
  };
  const listeners = createListeners(plane, audit.fault);
  const wantedBy = (service: ServiceRules): Wanted => {
    const own = countsOf(service.name);
    return {
      name: service.name,
      endpoint: service.listen,
      accept: (connection) => serveConnection(connection, service, own, deps),
    };
  };
  const listen = (next: Rules) => listeners.change([...next.services.values()].map(wantedBy));

  const reload = async (): Promise<ReloadOutcome> => {
    const loaded = read();
    if (!loaded.ok) return { ok: false, problems: loaded.problems };
    const next = compile(loaded.value);
    await listen(next);
    rules = next;
    audit.configure(loaded.value);
    return { ok: true, changed: [] };
  };

  const info = ([name, service]: [string, Daemon['services'][string]]): ServiceInfo => {
    const endpoint = listeners.endpointOf(name);
    const listenText = endpoint ? service.listen.replace(/\d+$/, String(endpoint.port)) : service.listen;
    const { protocol, upstream, enabled } = service;
    return { name, protocol, listen: listenText, upstream, enabled };
  };
  const statsOf = ([name, own]: [string, Counts]): [string, ServiceStats] => [
    name,
    {
      active_connections: connections.activeOn(name),
      total_allowed: own.allowed,
      total_blocked: own.blocked,
      bytes_in: own.bytesIn,
      bytes_out: own.bytesOut,
    },
  ];

  await listen(rules).catch(async (error) => {
    await audit.close();
    throw error;
  });

  const close = async () => {
    isDraining = true;
    await listeners.change([]);
    tarpit.close();
    const cut = setTimeout(() => connections.cutAll('shutdown'), daemonBounds.drainMs);
    await connections.empty();
    clearTimeout(cut);
    await audit.close();
  };

  return {
    version,
    startedAt,
    services: () => Object.entries(rules.config.services).map(info),
    stats: () => Object.fromEntries([...counts].map(statsOf)),
    tables: () => ({ ...gates.tables(), tarpit: tarpit.stats() }),
    problems: () => [...audit.problems(), ...bans.problems()],
    isServing: () => !isDraining,
    bans,
    failures,
    audit,
    feed: undefined,
    reload,
    close,
  };
}
