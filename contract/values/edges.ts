/** Notices logs in which the address of a client is that of a CDN or a load balancer. */
import { isListed } from './address.ts';
import { allPresets } from './presets.ts';

const mostClients = 10;

interface EdgeFinding {
  /** How many of the clients belong to which provider. */
  readonly found: string;
  readonly fix: string;
}

/**
 * Returns what to change where most of the most frequent clients are addresses of one CDN or load balancer.
 * @param clients addresses, the most frequent one first
 * @param trusted networks of proxies whose clients the policy finds already
 */
export function edgeFindings(clients: readonly string[], trusted: readonly string[] = []): EdgeFinding[] {
  const top = clients.slice(0, mostClients);
  return allPresets().flatMap(({ name, title, networks, isEdge }) => {
    const edges = isEdge ? top.filter((address) => isListed(networks, address) && !isListed(trusted, address)) : [];
    if (edges.length <= top.length / 2) return [];
    const found = `${edges.length} of the ${top.length} most frequent clients are addresses of ${title}`;
    return [{ found, fix: `add trustedProxies: [${name}] to the policy, or log the address of the client` }];
  });
}

/** Returns the same as lines. */
export const edgeNotices = (...args: Parameters<typeof edgeFindings>): string[] =>
  edgeFindings(...args).map(({ found, fix }) => `${found}: ${fix}`);
