/** Connections of one client at once: over all services, and on this one. */
import type { Connections } from '../connections.ts';
import type { Gate } from './gate.ts';

const isReached = (count: number, most: number) => most > 0 && count >= most;

export function connectionsGate(connections: Connections): Gate {
  return {
    exempts: false,
    refuses: ({ client, service, rules }) => {
      const overAll = isReached(connections.countOf(client), rules.config.global.max_connections_per_ip);
      const here = isReached(connections.countOf(client, service.name), service.config.max_connections_per_ip);
      return overAll || here ? 'max_connections_per_ip' : undefined;
    },
  };
}
