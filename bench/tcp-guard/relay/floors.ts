import type { LoadName } from './loads.ts';
import type { PeerName } from './peers.ts';

export interface Floor {
  readonly load: LoadName;
  readonly peer: PeerName;
  readonly against: PeerName;
  /** Minimum of the rate of `peer` divided by that of `against`. For costs: `against` divided by `peer`. */
  readonly ratio: number;
}

const row = (load: LoadName, peer: PeerName, against: PeerName, ratio: number): Floor => ({
  ...{ load, peer, against, ratio },
});

export const floors: readonly Floor[] = [
  row('idle', 'packaged', 'haproxy', 1 / 0.6),
  row('bulk-up', 'packaged', 'haproxy-splice', 0.98),
  row('bulk-down', 'packaged', 'haproxy-splice', 0.98),
  row('new', 'packaged', 'haproxy', 0.98),
  row('trips', 'packaged', 'haproxy', 0.98),
  row('trips', 'linux-2', 'haproxy-threads', 0.98),
  row('idle', 'linux', 'haproxy', 1 / 0.6),
  row('bulk-up', 'linux', 'haproxy-splice', 0.95),
  row('bulk-down', 'linux', 'haproxy-splice', 0.95),
  row('new', 'linux', 'haproxy', 0.88),
  row('new', 'linux-2', 'haproxy-threads', 0.98),
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
