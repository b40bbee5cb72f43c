/** Budgets of the relays: floors are ratios of two relays in the same run, ceilings are costs. */
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
  row('idle', 'linux', 'haproxy', 1 / 0.6),
  row('bulk-up', 'linux', 'haproxy-splice', 0.95),
  row('bulk-down', 'linux', 'haproxy-splice', 0.95),
  row('new', 'linux', 'haproxy', 0.88),
  row('new', 'linux-2', 'haproxy-threads', 0.85),
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

/** A cost that a relay must not exceed, in the unit of the load. */
export interface Ceiling {
  readonly load: LoadName;
  readonly peer: PeerName;
  readonly most: number;
}

/**
 * The kernel drops the packets. The process only reads counters once a second, which takes about a millisecond for 20,000
 * packets or more. It would exceed this ceiling if it did any work for each packet.
 */
export const ceilings: readonly Ceiling[] = [{ load: 'refusals', peer: 'bpf', most: 0.5 }];
