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
  /** `activeOn`: returns the number of open connections of a service. */
  readonly stats: (services: Iterable<string>, activeOn: (service: string) => number) => Record<string, ServiceStats>;
}

export function createTally(): Tally {
  const counts = new Map<string, Counts>();
  const of = (service: string): Counts => {
    const known = counts.get(service) ?? noCounts();
    counts.set(service, known);
    return known;
  };
  const statsOf = (service: string, active: number): ServiceStats => {
    const counts = of(service);
    const { bytesIn, bytesOut } = bytesOf(counts);
    return {
      active_connections: active,
      total_allowed: counts.allowed,
      total_blocked: counts.blocked,
      bytes_in: bytesIn,
      bytes_out: bytesOut,
    };
  };
  const stats: Tally['stats'] = (services, activeOn) =>
    Object.fromEntries([...services].map((name) => [name, statsOf(name, activeOn(name))]));
  return { of, stats };
}
