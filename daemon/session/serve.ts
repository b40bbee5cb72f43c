/** What becomes of each connection that a listener of a service accepts. */
import { type Client, clientOfPeer } from '../address/client.ts';
import { account, type Served } from '../admission/admission.ts';
import type { Connection } from '../plane/plane.ts';
import { proxiedClient } from '../proxy-protocol/read.ts';
import type { Deps } from './context.ts';
import { startSession } from './session.ts';
import { refuse } from './tarpit.ts';

/** Ends a connection that was refused. */
function endRefused(connection: Connection, client: Client, { service }: Served, reason: string, deps: Deps): void {
  if (reason === 'capacity')
    connection.end('reset'); // nothing is left to hold it with
  else {
    refuse(connection, client, service.config, deps.tarpit);
    // In a tarpit it holds a descriptor, and with that a place that another could have.
    if (service.config.response.mode === 'tarpit') connection.onGone(deps.judge.hold(() => connection.end('reset')));
  }
}

/** Asks the gates, now that the client is known. */
function admit(connection: Connection, client: Client, served: Served, deps: Deps): void {
  deps.judge.admit(client, served, (verdict) =>
    attempt(connection, served, deps, () => {
      if ('refusal' in verdict) endRefused(connection, client, served, verdict.refusal, deps);
      else startSession({ connection, client, enter: verdict.enter, ...served }, deps);
    }),
  );
}

async function readProxied(
  connection: Connection,
  neighbour: Client,
  served: Served,
  deps: Deps,
  free: () => void,
): Promise<void> {
  const proxied = await proxiedClient(connection, neighbour, served.service.firstByteMs).finally(free);
  if (proxied.ok) admit(connection, proxied.client, served, deps);
  else if (proxied.why === 'bad') {
    account(neighbour, served, 'proxy_header', deps.record);
    endRefused(connection, neighbour, served, 'proxy_header', deps);
  } else connection.end('close'); // health checks connect and leave
}

/** A neighbour that speaks for its clients: its header comes first, and counts against the capacity meanwhile. */
function admitProxied(connection: Connection, neighbour: Client, served: Served, deps: Deps): void {
  const cut = () => connection.end('reset');
  deps.judge.reserve(neighbour, served, cut, (free) => {
    if (free) readProxied(connection, neighbour, served, deps, free).catch(failed(connection, served, deps));
    else endRefused(connection, neighbour, served, 'capacity', deps);
  });
}

/** A mistake of ours refuses this connection, and no other. */
const failed =
  (connection: Connection, { service }: Served, { audit }: Deps) =>
  (error: unknown) => {
    connection.end('reset');
    audit.fault(`a connection of ${service.name} was not judged: ${(error as Error).stack}`);
  };

function attempt(connection: Connection, served: Served, deps: Deps, work: () => void): void {
  try {
    work();
  } catch (error) {
    failed(connection, served, deps)(error);
  }
}

/** Takes a connection just accepted. */
export function serveConnection(connection: Connection, served: Served, deps: Deps): void {
  attempt(connection, served, deps, () => {
    const peer = clientOfPeer(connection.remote);
    const isProxied = served.service.acceptProxyFrom.has(peer.address);
    (isProxied ? admitProxied : admit)(connection, peer, served, deps);
  });
}
