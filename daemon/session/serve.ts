/** Handles a connection that a listener of a service accepted. */
import { type Client, clientOf, clientOfPeer } from '../address/client.ts';
import { accountForRefusal, type Served } from '../admission/admission.ts';
import type { Connection } from '../plane/plane.ts';
import { longestHeader, parseHeader } from '../proxy-protocol/header.ts';
import type { SessionContext, SharedContext } from './context.ts';
import type { DataConnection } from './passive.ts';
import { Session } from './session.ts';
import { endRefusedConnection } from './tarpit.ts';

const capacityReasons: ReadonlySet<string> = new Set(['capacity', 'service_capacity']);

function endRefused(
  connection: Connection,
  client: Client,
  served: Served,
  reason: string,
  context: SharedContext,
): void {
  if (capacityReasons.has(reason))
    connection.end('reset'); // no slot is free, and the tarpit needs one to hold it
  else {
    endRefusedConnection(connection, client, served, context.tarpit);
    // A connection in the tarpit occupies a descriptor, so it needs a slot.
    if (served.service.config.response.mode === 'tarpit')
      connection.onGone(context.admission.reserveDescriptor(() => connection.end('reset')));
  }
}

const refuse: typeof endRefused = (connection, client, served, reason, context) => {
  accountForRefusal(client, served, reason, context.record);
  endRefused(connection, client, served, reason, context);
};

type OnIdentified<C extends Connection> = (
  connection: C,
  client: Client,
  served: Served,
  context: SessionContext<C>,
) => void;

/**
 * Calls the gates, then starts the session of the client or ends the refused connection. `data`: the facts of a data
 * connection of FTP.
 */
function admit<C extends Connection>(
  connection: C,
  client: Client,
  served: Served,
  context: SessionContext<C>,
  data?: DataConnection<C>['facts'],
): void {
  context.admission.admit(client, served, (verdict) =>
    attemptWork(connection, served, context, () => {
      if ('refusal' in verdict) endRefused(connection, client, served, verdict.refusal, context);
      else {
        const admitted = { ...served, connection, client, enter: verdict.enter, data };
        new Session(admitted, context, serveData).start();
      }
    }),
  );
}

/** `late`: the trusted proxy sent no byte in time. `lost`: it closed the connection before its first byte. */
type ProxiedClient = Client | 'bad' | 'late' | 'lost';

const refusals = { bad: 'proxy_header', late: 'first_byte_timeout' } as const;

/** Reads and removes the PROXY header. If it has no address (LOCAL, UNKNOWN), the proxy is the client. */
async function readProxiedClient(connection: Connection, proxy: Client, timeoutMs: number): Promise<ProxiedClient> {
  const isEnough = (bytes: Uint8Array) => parseHeader(bytes).kind !== 'more';
  const { bytes, why } = await connection.peek({ limit: longestHeader, timeoutMs, isEnough });
  const header = parseHeader(bytes);
  if (header.kind !== 'header' && bytes.length === 0) return why === 'timeout' ? 'late' : 'lost';
  if (header.kind !== 'header') return 'bad';
  connection.skip(header.length);
  const { source } = header;
  return source ? clientOf(source.address, source.port) : proxy;
}

async function admitProxied<C extends Connection>(
  connection: C,
  proxy: Client,
  served: Served,
  context: SessionContext<C>,
  then: OnIdentified<C>,
  free: () => void,
): Promise<void> {
  const proxied = await readProxiedClient(connection, proxy, served.service.firstByteMs).finally(free);
  if (proxied === 'lost')
    connection.end('close'); // usually a health check of the proxy, which connects and closes
  else if (typeof proxied === 'string') refuse(connection, proxy, served, refusals[proxied], context);
  else then(connection, proxied, served, context);
}

/** Reads the PROXY header of a trusted proxy. The connection occupies a slot meanwhile. */
function identifyProxied<C extends Connection>(
  connection: C,
  proxy: Client,
  served: Served,
  context: SessionContext<C>,
  then: OnIdentified<C>,
): void {
  const cut = () => connection.end('reset');
  context.admission.reserve(proxy, served, cut, (free) => {
    if (free)
      admitProxied(connection, proxy, served, context, then, free).catch(faultHandler(connection, served, context));
    else endRefused(connection, proxy, served, 'capacity', context);
  });
}

const faultHandler =
  (connection: Connection, { service }: Served, { audit }: SharedContext) =>
  (error: unknown) => {
    connection.end('reset');
    audit.fault(`admission of a connection of ${service.name} failed: ${(error as Error).stack}`);
  };

function attemptWork(connection: Connection, served: Served, context: SharedContext, work: () => void): void {
  try {
    work();
  } catch (error) {
    faultHandler(connection, served, context)(error);
  }
}

function identify<C extends Connection>(
  connection: C,
  served: Served,
  context: SessionContext<C>,
  then: OnIdentified<C>,
): void {
  attemptWork(connection, served, context, () => {
    const peer = clientOfPeer(connection.remote);
    if (served.service.acceptProxyFrom.has(peer.address)) identifyProxied(connection, peer, served, context, then);
    else then(connection, peer, served, context);
  });
}

/** Serves a connection that has just been accepted. */
export function serveConnection<C extends Connection>(connection: C, served: Served, context: SessionContext<C>): void {
  identify(connection, served, context, admit);
}

/** Serves a connection to a data port, which accepts one connection of one client. */
function serveData<C extends Connection>(connection: C, data: DataConnection<C>, context: SessionContext<C>): void {
  identify(connection, data.served, context, (_connection, client, served) => {
    if (client.ip === data.client.ip && data.claim(connection)) admit(connection, client, served, context, data.facts);
    else refuse(connection, client, served, 'unexpected_data', context);
  });
}
