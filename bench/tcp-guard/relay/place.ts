/** Where a relay runs, and the upstreams that all relays have. */
import type { Network } from './network.ts';
import type { Ports } from './ports.ts';

export interface Place {
  readonly network: Network;
  /** A folder for files of all relays. */
  readonly folder: string;
  readonly upstreams: Ports;
}
