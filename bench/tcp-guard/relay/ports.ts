/** The ports of the benchmark, by kind of load. Each relay has one of each, which leads to the same upstream. */
import { freePort } from '../../../platform/free-ports.ts';

const kinds = ['web', 'bulk', 'idle'] as const;
type Kind = (typeof kinds)[number];
export type Ports = Readonly<Record<Kind, number>>;

export async function freePorts(): Promise<Ports> {
  const [web, bulk, idle] = [await freePort(), await freePort(), await freePort()];
  return { web, bulk, idle };
}

/** What a relay with these ports relays: kind, listening port, port of the upstream. */
export const pairs = (ports: Ports, behind: Ports): readonly (readonly [Kind, number, number])[] =>
  kinds.map((kind) => [kind, ports[kind], behind[kind]]);
