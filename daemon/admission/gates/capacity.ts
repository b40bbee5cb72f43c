/** Limits open connections over all services. */
import type { ConnectionTable } from '../connection-table.ts';
import type { Gate } from './gate.ts';

export function capacityGate(connections: ConnectionTable): Gate {
  return {
    exempts: false,
    refuses: ({ rules }) => (connections.size() >= rules.maxConnections ? 'capacity' : undefined),
  };
}
