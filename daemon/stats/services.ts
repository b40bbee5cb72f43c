/** Services and their counts in the format of the API. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Endpoint } from '../../contract/values/endpoint.ts';
import { bytesOf, type Counts, noCounts } from './counts.ts';
import type { ServiceInfo, ServiceStats } from './stats.ts';

/** The configured text. Port 0 is replaced by the actual port. */
function listenText(listen: string, endpoint: Endpoint | undefined): string {
  return endpoint ? listen.replace(/\d+$/, String(endpoint.port)) : listen;
}

export function serviceInfos(
  { services }: Daemon,
  endpointOf: (name: string) => Endpoint | undefined,
): readonly ServiceInfo[] {
  return Object.entries(services).map(([name, { protocol, listen, upstream, enabled }]) => ({
    name,
    protocol,
    listen: listenText(listen, endpointOf(name)),
    upstream,
    enabled,
  }));
}

export interface Tally {
  /** The counts of a service. They are kept until the process ends. */
  readonly of: (service: string) => Counts;
  readonly stats: (services: Iterable<string>) => Record<string, ServiceStats>;
}

/** `activeOn` returns the number of open connections of a service. */
export function createTally(activeOn: (service: string) => number): Tally {
  const counts = new Map<string, Counts>();
  const of = (service: string): Counts => {
    const known = counts.get(service) ?? noCounts();
    counts.set(service, known);
    return known;
  };
  const statsOf = (service: string): ServiceStats => {
    const counts = of(service);
    const { bytesIn, bytesOut } = bytesOf(counts);
    return {
      active_connections: activeOn(service),
      total_allowed: counts.allowed,
      total_blocked: counts.blocked,
      bytes_in: bytesIn,
      bytes_out: bytesOut,
    };
  };
  return { of, stats: (services) => Object.fromEntries([...services].map((name) => [name, statsOf(name)])) };
}
