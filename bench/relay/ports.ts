/** The ports of the benchmark, by kind of load. Each relay has one of each, which leads to the same upstream. */
import { freePort } from '../../platform/free-ports.ts';

const kinds = ['web', 'bulk', 'idle', 'http', 'tls', 'redis'] as const;
export type Kind = (typeof kinds)[number];
export type Ports = Readonly<Record<Kind, number>>;

/** The upstream of a kind. Plain HTTP has one upstream, with and without an inspector. */
const upstreams: Partial<Record<Kind, Kind>> = { http: 'web' };

export async function freePorts(): Promise<Ports> {
  const ports: Partial<Record<Kind, number>> = {};
  for (const kind of kinds) ports[kind] = await freePort();
  return ports as Ports;
}

/** What a relay with these ports relays: kind, listening port, port of the upstream. */
export const pairs = (ports: Ports, behind: Ports): readonly (readonly [Kind, number, number])[] =>
  kinds.map((kind) => [kind, ports[kind], behind[upstreams[kind] ?? kind]]);
