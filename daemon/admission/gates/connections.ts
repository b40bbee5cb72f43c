/** Limits the open connections of one client, on all services together and on each service. */
import type { Client } from '../../address/client.ts';
import type { ConnectionTable } from '../connection-table.ts';
import type { Gate } from './gate.ts';

export function connectionsGate(connections: ConnectionTable): Gate {
  const isReached = (most: number, client: Client, service?: string) =>
    most > 0 && connections.countOf(client, service) >= most;
  return {
    refuses: ({ client, service, rules }) => {
      const overAll = isReached(rules.config.global.max_connections_per_ip, client);
      const here = isReached(service.config.max_connections_per_ip, client, service.name);
      return overAll || here ? 'max_connections_per_ip' : undefined;
    },
  };
}
