/** Notices logs in which the address of a client is that of a CDN or a load balancer. */
import { isListed } from './address.ts';
import { allPresets } from './presets.ts';

const mostClients = 10;

/**
 * Returns what to change where most of the most frequent clients are addresses of one CDN or load balancer.
 * @param clients addresses, the most frequent one first
 * @param trusted networks of proxies whose clients the policy finds already
 */
export function edgeNotices(clients: readonly string[], trusted: readonly string[] = []): string[] {
  const top = clients.slice(0, mostClients);
  return allPresets().flatMap(({ name, title, networks, isEdge }) => {
    const found = isEdge ? top.filter((address) => isListed(networks, address) && !isListed(trusted, address)) : [];
    if (found.length <= top.length / 2) return [];
    const who = `${found.length} of the ${top.length} most frequent clients are addresses of ${title}`;
    return [`${who}: add trustedProxies: [${name}] to the policy, or log the address of the client`];
  });
}
