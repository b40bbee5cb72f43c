/** Ends a refused connection: by a close, by a reset, or after it was held in a tarpit, which sends single bytes. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Client } from '../address/client.ts';
import type { Served } from '../admission/admission.ts';
import type { Connection } from '../plane/plane.ts';

export interface Tarpit {
  /**
   * Holds the connection. `maxConnections`: the limit over all services. Returns false when too many connections are
   * held, in total or of this client.
   */
  readonly hold: (connection: Connection, client: Client, everyMs: number, maxConnections: number) => boolean;
  readonly size: () => number;
  readonly close: () => void;
}

const dripByte = new Uint8Array([0x0a]); // a line feed is not a complete reply, so clients wait for more

/** The largest number of connections that one process holds. `processCount`: how many processes share the limit. */
export const tarpitCapacity = (maxConnections: number, processCount = 1): number =>
  Math.ceil(Math.min(daemonBounds.tarpitConnections, maxConnections * daemonBounds.tarpitShare) / processCount);

export function createTarpit(processCount = 1): Tarpit {
  const mostPerClient = Math.ceil(daemonBounds.tarpitPerClient / processCount);
  const held = new Map<Connection, () => void>();
  const perClient = new Map<string, number>();
  const count = (key: string, change: 1 | -1) => {
    const left = (perClient.get(key) ?? 0) + change;
    if (left === 0) perClient.delete(key);
    else perClient.set(key, left);
  };
  const start = (connection: Connection, { key }: Client, everyMs: number) => {
    const release = () => {
      clearInterval(drip);
      clearTimeout(end);
      if (held.delete(connection)) count(key, -1);
      connection.end('close');
    };
    const drip = setInterval(() => connection.write(dripByte) || release(), everyMs);
    const end = setTimeout(release, daemonBounds.tarpitMs);
    held.set(connection, release);
    count(key, 1);
    connection.discard();
    connection.onGone(release);
  };
  return {
    hold: (connection, client, everyMs, maxConnections) => {
      const isFull = held.size >= tarpitCapacity(maxConnections, processCount);
      if (isFull || (perClient.get(client.key) ?? 0) >= mostPerClient) return false;
      start(connection, client, everyMs);
      return true;
    },
    size: () => held.size,
    close: () => {
      for (const release of held.values()) release();
    },
  };
}

export function endRefusedConnection(
  connection: Connection,
  client: Client,
  { service, rules }: Pick<Served, 'service' | 'rules'>,
  tarpit: Tarpit,
): void {
  const { mode, tarpit_ms } = service.config.response;
  if (mode === 'tarpit' && tarpit.hold(connection, client, tarpit_ms, rules.maxConnections)) return;
  connection.end(mode === 'reject' ? 'reset' : 'close');
}
