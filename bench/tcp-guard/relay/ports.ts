/** Ports of a relay or of the upstreams, one for each kind of load. A port of a relay leads to the upstream of its kind. */
import { freePort } from '../../../platform/free-ports.ts';

const kinds = ['web', 'bulk', 'idle'] as const;
type Kind = (typeof kinds)[number];
export type Ports = Readonly<Record<Kind, number>>;

export async function freePorts(): Promise<Ports> {
  const [web, bulk, idle] = [await freePort(), await freePort(), await freePort()];
  return { web, bulk, idle };
}

/** Returns for each kind of load the listening port of the relay and the port of its upstream. */
export const portPairs = (ports: Ports, behind: Ports): readonly (readonly [Kind, number, number])[] =>
  kinds.map((kind) => [kind, ports[kind], behind[kind]]);
