/** What the relays of a run have in common: network, folder and upstreams. */
import type { Network } from './network.ts';
import type { Ports } from './ports.ts';

export interface Place {
  readonly network: Network;
  /** A folder for files of all relays. */
  readonly folder: string;
  readonly upstreams: Ports;
}
