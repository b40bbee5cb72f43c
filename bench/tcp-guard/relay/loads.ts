import type { Peer, PeerName } from './peers.ts';
import { cpuOf } from './programs.ts';
import { type Counted, countRefusals, idleBytes, idleConnections, iperf3, wrk } from './tools.ts';

export interface Sample {
  /** A rate, CPU time or bytes. */
  readonly value: number;
  /** CPU time of the relay for each connection, request or gigabyte. */
  readonly cpu?: number;
  readonly text: string;
}

export interface Load {
  readonly title: string;
  readonly measure: (peer: Peer) => Promise<Sample>;
  /** A smaller value is better. */
  readonly isCost?: true;
  /** Measured once, as the first load of a relay. After other loads the relay would reuse their memory. */
  readonly isOnce?: true;
  /**
   * First rounds that do not count. V8 optimizes after about five thousand connections in each process: two workers
   * reach them in two rounds.
   */
  readonly warmRounds?: number;
  readonly peers: readonly PeerName[];
}

const relays: readonly PeerName[] = ['packaged', 'linux', 'net', 'haproxy', 'bare'];
/** Relays of two processes or threads. */
const doubles: readonly PeerName[] = ['linux-2', 'net-2', 'haproxy-threads'];

interface Unit {
  readonly unit: string;
  readonly digits: number;
  /** Unit of the CPU time of one request, connection or gigabyte, and how many of this unit a second has. */
  readonly each: readonly [unit: string, perSecond: number];
}

const perSecond: Unit = { unit: '/s', digits: 0, each: ['us CPU', 1e6] };
const gigabits: Unit = { unit: ' Gbit/s', digits: 1, each: ['s CPU/GB', 1] };

const measureRate =
  (count: (peer: Peer) => Counted | Promise<Counted>, { unit, digits, each: [name, scale] }: Unit): Load['measure'] =>
  async (peer) => {
    const before = cpuOf(peer.child);
    const { rate, count: counted } = await count(peer);
    const used = ((cpuOf(peer.child) - before) / counted) * scale;
    return {
      value: rate,
      cpu: used,
      text: `${rate.toFixed(digits)}${unit}, ${used.toFixed(scale === 1 ? 2 : 1)} ${name}`,
    };
  };

/** Measures CPU time, because the client limits the rate. */
const measureCost =
  (count: (peer: Peer) => Promise<Counted>): Load['measure'] =>
  async (peer) => {
    const before = cpuOf(peer.child);
    const { rate, count: counted } = await count(peer);
    const used = ((cpuOf(peer.child) - before) / counted) * 1e6;
    return { value: used, text: `${used.toFixed(2)} us CPU, ${rate.toFixed(0)}/s` };
  };

const measureMemory: Load['measure'] = async (peer) => {
  const value = await idleBytes(peer);
  return { value, text: `${(value / 1024).toFixed(1)} KB` };
};

export const loads = {
  idle: {
    title: `memory of an idle connection (${idleConnections} held)`,
    measure: measureMemory,
    isCost: true,
    isOnce: true,
    peers: [...relays, ...doubles],
  },
  'bulk-up': {
    title: 'bulk up, 8 streams',
    measure: measureRate((peer) => iperf3(peer, 8), gigabits),
    peers: [...relays, 'haproxy-splice', ...doubles],
  },
  'bulk-down': {
    title: 'bulk down, 8 streams',
    measure: measureRate((peer) => iperf3(peer, 8, '-R'), gigabits),
    peers: [...relays, 'haproxy-splice', ...doubles],
  },
  new: {
    title: 'new connections, 32 at once',
    measure: measureRate((peer) => wrk(peer, 32, 'Connection: close'), perSecond),
    warmRounds: 3,
    peers: [...relays, ...doubles],
  },
  trips: {
    title: '64 B round trips, 64 connections',
    measure: measureRate((peer) => wrk(peer, 64), perSecond),
    peers: [...relays, ...doubles],
  },
  refusals: {
    title: 'a refused connection',
    measure: measureCost(countRefusals),
    isCost: true,
    peers: ['linux', 'net', 'haproxy'],
  },
} as const satisfies Record<string, Load>;

export type LoadName = keyof typeof loads;
