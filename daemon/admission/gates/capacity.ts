/** Connections at once, over all services. */
import type { Connections } from '../connection-table.ts';
import type { Gate } from './gate.ts';

export function capacityGate(connections: Connections): Gate {
  return {
    exempts: false,
    refuses: ({ rules }) => (connections.size() >= rules.maxConnections ? 'capacity' : undefined),
  };
}
