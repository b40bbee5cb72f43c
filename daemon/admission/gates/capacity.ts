/** Limits the open connections and reserved slots of all services together, and of each service. */
import type { ConnectionTable } from '../connection-table.ts';
import type { Rules, ServiceRules } from '../rules.ts';
import type { Refusal } from './gate.ts';

type OccupiedSlots = Pick<ConnectionTable, 'size' | 'occupiedSlotsOn'>;

export function capacityRefusal(connections: OccupiedSlots, rules: Rules, service: ServiceRules): Refusal | undefined {
  if (connections.size() >= rules.maxConnections) return 'capacity';
  return connections.occupiedSlotsOn(service.name) >= service.maxConnections ? 'service_capacity' : undefined;
}
