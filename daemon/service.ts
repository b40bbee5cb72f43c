/** What becomes of each connection that a listener of a service accepts. */
import { type Client, clientOfPeer } from './client.ts';
import type { Deps } from './deps.ts';
import type { Connection } from './plane/plane.ts';
import { proxiedClient } from './proxy-protocol/read.ts';
import type { Rules, ServiceRules } from './rules.ts';
import { startSession } from './session.ts';
import type { Counts } from './stats.ts';
import { refuse } from './tarpit.ts';

/** A service under one configuration. Connections keep the one they were accepted under. */
export interface Served {
  readonly service: ServiceRules;
  readonly rules: Rules;
  readonly counts: Counts;
}

function turnAway(
  connection: Connection,
  client: Client,
  { service, counts }: Served,
  reason: string,
  deps: Deps,
): void {
  counts.blocked += 1;
  if (reason === 'capacity')
    connection.end('reset'); // nothing is left to hold it with
  else {
    refuse(connection, client, service.config, deps.tarpit);
    // In a tarpit it holds a descriptor, and with that a place that another could have.
    if (service.config.response.mode === 'tarpit')
      connection.onGone(deps.connections.reserve(() => connection.end('reset')));
  }
  deps.record(service, client, 'blocked', reason);
}

/** Asks the gates, now that the client is known. */
function admit(connection: Connection, client: Client, served: Served, deps: Deps): void {
  const reason = deps.gates.refuses({ client, service: served.service, rules: served.rules });
  if (reason === undefined) startSession({ connection, client, ...served }, deps);
  else turnAway(connection, client, served, reason, deps);
}

/** A neighbour that speaks for its clients: its header comes first, and counts against the capacity meanwhile. */
async function admitProxied(connection: Connection, neighbour: Client, served: Served, deps: Deps): Promise<void> {
  const free = deps.connections.reserve(() => connection.end('reset'));
  const proxied = await proxiedClient(connection, neighbour, served.service.firstByteMs).finally(free);
  if (proxied.ok) admit(connection, proxied.client, served, deps);
  else if (proxied.why === 'bad') turnAway(connection, neighbour, served, 'proxy_header', deps);
  else connection.end('close'); // health checks connect and leave
}

/** A mistake of ours refuses this connection, and no other. */
const failed =
  (connection: Connection, { service }: Served, { audit }: Deps) =>
  (error: unknown) => {
    connection.end('reset');
    audit.fault(`a connection of ${service.name} was not judged: ${(error as Error).stack}`);
  };

function judge(connection: Connection, served: Served, deps: Deps): void {
  const { service, rules } = served;
  const peer = clientOfPeer(connection.remote);
  if (!service.acceptProxyFrom.has(peer.address)) admit(connection, peer, served, deps);
  else if (deps.connections.size() < rules.maxConnections)
    admitProxied(connection, peer, served, deps).catch(failed(connection, served, deps));
  else turnAway(connection, peer, served, 'capacity', deps);
}

/** Takes a connection just accepted. */
export function serveConnection(connection: Connection, served: Served, deps: Deps): void {
  try {
    judge(connection, served, deps);
  } catch (error) {
    failed(connection, served, deps)(error);
  }
}
