/** The management API: over TCP, on a Unix socket, or both. */
import type { Server } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { createAccess } from './access.ts';
import type { ApiBounds } from './bounds.ts';
import type { DaemonControl } from './daemon-control.ts';
import { createDispatcher, type Dispatch } from './dispatch.ts';
import { createHub } from './events/hub.ts';
import { listenTcp, listenUnix } from './listen.ts';
import { createRates } from './rate.ts';
import { createApiServer } from './server.ts';
import { createPace, createTurns } from './turns.ts';

interface ApiOptions {
  readonly config: Pick<Daemon, 'api'>;
  readonly control: DaemonControl;
  readonly signal?: AbortSignal;
  /** The clock in milliseconds since the epoch. */
  readonly now?: () => number;
  readonly bounds?: ApiBounds;
}

export interface Api {
  /** Disconnects readers of events, and waits at most `graceMs` for responses in progress. */
  readonly close: () => Promise<void>;
  /** The listening addresses: `host:port`, and the path of the socket. */
  readonly addresses: string[];
  /**
   * Applies the token and the hosts, but not the addresses. If the token or the hosts changed, disconnects the readers
   * of events.
   */
  readonly reconfigure: (config: Pick<Daemon, 'api'>) => void;
}

/** How long `close` waits for responses in progress, milliseconds. */
const graceMs = 2000;

async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const timer = setTimeout(() => {
    server.closeAllConnections();
    resolve(); // the server still waits for sockets of CONNECT, which closeAllConnections does not close
  }, graceMs);
  await promise;
  clearTimeout(timer);
}

/** @throws Error when an address cannot be bound; then nothing listens */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { control, signal, now = Date.now, bounds = daemonBounds, config } = options;
  let accepted = config.api;
  let access = createAccess(accepted);
  const hub = createHub(control, now(), bounds);
  const context: Dispatch = {
    control,
    hub,
    now,
    needsToken: () => access.needsToken,
    access: () => access,
    checkRate: createRates(bounds, () => performance.now()),
    turn: createTurns(bounds.apiPipelined),
    pace: createPace(),
  };
  const servers: Server[] = [];
  const addresses: string[] = [];
  const close = async () => {
    hub.close();
    await Promise.all(servers.filter(({ listening }) => listening).map(closeServer));
  };
  const open = async (where: string, isTcp: boolean, listen: typeof listenTcp) => {
    if (where === '') return;
    const server = createApiServer((isReserved) => createDispatcher(context, isReserved, isTcp), bounds);
    servers.push(server);
    addresses.push(await listen(server, where));
  };
  try {
    await open(config.api.listen, true, listenTcp);
    await open(config.api.socket, false, listenUnix);
  } catch (error) {
    await close();
    throw error;
  }
  signal?.addEventListener('abort', () => void close(), { once: true });
  return {
    close,
    addresses,
    reconfigure: ({ api }) => {
      if (isDeepStrictEqual(api, accepted)) return;
      accepted = api;
      access = createAccess(api);
      hub.disconnect();
    },
  };
}
