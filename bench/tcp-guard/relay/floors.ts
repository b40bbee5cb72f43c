import type { LoadName } from './loads.ts';
import type { PeerName } from './peers.ts';

export interface Floor {
  readonly load: LoadName;
  readonly peer: PeerName;
  readonly against: PeerName;
  /** Minimum of the rate of `peer` divided by that of `against`. For costs: `against` divided by `peer`. */
  readonly ratio: number;
  /**
   * Compares the CPU time of each connection. Relays of two processes share both processors with the clients and the
   * upstream, so that their rate shows how the system divides the processors.
   */
  readonly isCpu?: true;
}

const row = (load: LoadName, peer: PeerName, against: PeerName, ratio: number): Floor => ({
  ...{ load, peer, against, ratio },
});

const cpuRow = (...values: Parameters<typeof row>): Floor => ({ ...row(...values), isCpu: true });

export const floors: readonly Floor[] = [
  row('idle', 'packaged', 'haproxy', 1 / 0.6),
  row('bulk-up', 'packaged', 'haproxy-splice', 0.98),
  row('bulk-down', 'packaged', 'haproxy-splice', 0.98),
  row('new', 'packaged', 'haproxy', 0.98),
  row('trips', 'packaged', 'haproxy', 0.98),
  cpuRow('trips', 'linux-2', 'haproxy-threads', 0.98),
  row('idle', 'linux', 'haproxy', 1 / 0.6),
  row('bulk-up', 'linux', 'haproxy-splice', 0.95),
  row('bulk-down', 'linux', 'haproxy-splice', 0.95),
  row('new', 'linux', 'haproxy', 0.88),
  cpuRow('new', 'linux-2', 'haproxy-threads', 0.98),
  row('trips', 'linux', 'haproxy', 0.85),
  row('bulk-up', 'net', 'bare', 0.95),
  row('bulk-down', 'net', 'bare', 0.95),
  row('bulk-up', 'net', 'haproxy', 0.8),
  row('new', 'net', 'bare', 0.85),
  row('new', 'net', 'haproxy', 0.45),
  row('trips', 'net', 'bare', 0.95),
  row('trips', 'net', 'haproxy', 0.6),
  row('refusals', 'net', 'haproxy', 0.6),
];
