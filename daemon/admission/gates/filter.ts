/** The lists of addresses: the global one and the service's. */
import type { Gate } from './gate.ts';

export const filterGate: Gate = {
  exempts: false,
  refuses: ({ client, service, rules }) =>
    rules.ipFilter.admits(client.address) && service.ipFilter.admits(client.address) ? undefined : 'ip_filter',
};
