/** A service: what becomes of each connection that one listener accepts. */
import { type Client, clientOfPeer } from './client.ts';
import type { Deps } from './deps.ts';
import type { Connection } from './plane/plane.ts';
import { proxiedClient } from './proxy-protocol/read.ts';
import type { ServiceRules } from './rules.ts';
import { startSession } from './session.ts';
import type { Counts } from './stats.ts';
import { refuse } from './tarpit.ts';

function turnAway(connection: Connection, client: Client, service: ServiceRules, reason: string, deps: Deps): void {
  if (reason === 'capacity')
    connection.end('reset'); // nothing is left to hold it with
  else refuse(connection, client, service.config, deps.tarpit);
  deps.record(service, client, 'blocked', reason);
}

/** Asks the gates, now that the client is known. */
function admit(connection: Connection, client: Client, service: ServiceRules, counts: Counts, deps: Deps): void {
  const reason = deps.gates.refuses({ client, service, rules: deps.rules() });
  if (reason === undefined) startSession({ connection, client, service, counts }, deps);
  else {
    counts.blocked += 1;
    turnAway(connection, client, service, reason, deps);
  }
}

/** A neighbour that speaks for its clients: its header comes first, and counts against the capacity meanwhile. */
async function admitProxied(connection: Connection, service: ServiceRules, counts: Counts, deps: Deps): Promise<void> {
  const free = deps.connections.reserve();
  const neighbour = clientOfPeer(connection.remote);
  const proxied = await proxiedClient(connection, neighbour, service.firstByteMs).finally(free);
  if (proxied.ok) admit(connection, proxied.client, service, counts, deps);
  else {
    connection.end('close');
    if (proxied.why === 'lost') return; // health checks connect and leave
    counts.blocked += 1;
    deps.record(service, neighbour, 'blocked', 'proxy_header');
  }
}

/** Takes a connection just accepted. */
export function serveConnection(connection: Connection, service: ServiceRules, counts: Counts, deps: Deps): void {
  const peer = clientOfPeer(connection.remote);
  if (!service.acceptProxyFrom.has(peer.address)) admit(connection, peer, service, counts, deps);
  else if (deps.connections.size() < deps.rules().maxConnections) void admitProxied(connection, service, counts, deps);
  else {
    counts.blocked += 1;
    turnAway(connection, peer, service, 'capacity', deps);
  }
}
