/** Ports of a relay or of the upstreams, one for each kind of load. */
import { freePort } from '../../../platform/free-ports.ts';

const kinds = ['web', 'bulk', 'idle'] as const;
type Kind = (typeof kinds)[number];
export type Ports = Readonly<Record<Kind, number>>;

export interface Place {
  readonly folder: string;
  readonly upstreams: Ports;
}

/** Address of the relays, their upstreams and the loads. */
export const host = '127.0.0.1';

/** Source address that HAProxy and tcp-guard refuse. */
export const refusedAddress = '127.9.9.9';

export async function freePorts(): Promise<Ports> {
  const [web, bulk, idle] = [await freePort(), await freePort(), await freePort()];
  return { web, bulk, idle };
}

/** Returns for each kind the listening port and the port of its upstream. */
export const portPairs = (ports: Ports, behind: Ports): readonly (readonly [Kind, number, number])[] =>
  kinds.map((kind) => [kind, ports[kind], behind[kind]]);
