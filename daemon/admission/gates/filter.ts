/** Applies the global and the per-service address lists. */
import type { Gate } from './gate.ts';

export const filterGate: Gate = {
  refuses: ({ client, service, rules }) =>
    rules.ipFilter.admits(client.address) && service.ipFilter.admits(client.address) ? undefined : 'ip_filter',
};
