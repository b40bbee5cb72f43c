/** The kinds of load, and what a relay is measured by under each. */

import type { Peer, PeerName } from './peers.ts';
import type { Kind } from './ports.ts';
import { cpuOf } from './programs.ts';
import {
  type Counted,
  idleBytes,
  idleConnections,
  iperf3,
  type Latency,
  redisBenchmark,
  refusals,
  wrk,
} from './tools.ts';
import { largePath } from './upstreams.ts';

export interface Sample {
  /** What relays are compared by. */
  readonly value: number;
  readonly text: string;
}

export interface Load {
  readonly title: string;
  readonly measure: (peer: Peer) => Promise<Sample>;
  /** Whether less of the value is better, as of time and memory. */
  readonly isCost?: true;
  /** Measured once, by the first load of a relay: memory that a load has left behind would be reused. */
  readonly isOnce?: true;
  /** Rounds before those that count. V8 has optimized the code of a connection after some ten thousand in each process. */
  readonly warmRounds?: number;
  readonly peers: readonly PeerName[];
}

const pinnedRelays = [
  'linux',
  'net',
  'haproxy-2.6',
  'haproxy-2.6-splice',
  'haproxy-3.2',
  'haproxy-3.2-splice',
  'nginx',
] as const satisfies readonly PeerName[];
const spread = ['net-1', 'net-2', 'linux-1', 'linux-2', 'haproxy-threads'] as const satisfies readonly PeerName[];
const all: readonly PeerName[] = [...pinnedRelays, 'bare', 'direct'];
/** Splicing concerns bulk only. */
const unspliced = all.filter((name) => !name.endsWith('-splice'));
const inspecting: readonly PeerName[] = ['linux', 'net', 'haproxy-2.6', 'bare', 'direct'];

interface Unit {
  readonly unit: string;
  readonly digits: number;
  /** CPU time of one: its unit, and how many are in a second. */
  readonly each: readonly [unit: string, perSecond: number];
}

const perSecond: Unit = { unit: '/s', digits: 0, each: ['us CPU', 1e6] };
const gigabits: Unit = { unit: ' Gbit/s', digits: 1, each: ['s CPU/GB', 1] };

/** A rate, with the CPU time of the relay for each one that is counted. */
const rated =
  (count: (peer: Peer) => Counted | Promise<Counted>, { unit, digits, each: [name, scale] }: Unit): Load['measure'] =>
  async (peer) => {
    const before = peer.child ? cpuOf(peer.child) : 0;
    const { rate, count: counted } = await count(peer);
    const used = peer.child && ((cpuOf(peer.child) - before) / counted) * scale;
    const cpu = used === undefined ? '' : `, ${used.toFixed(scale === 1 ? 2 : 1)} ${name}`;
    return { value: rate, text: `${rate.toFixed(digits)}${unit}${cpu}` };
  };

/** The CPU time of each, where the load cannot reach the rate of a relay. */
const cost =
  (count: (peer: Peer) => Counted | Promise<Counted>): Load['measure'] =>
  async (peer) => {
    const before = peer.child ? cpuOf(peer.child) : 0;
    const { rate, count: counted } = await count(peer);
    const used = (((peer.child ? cpuOf(peer.child) : 0) - before) / counted) * 1e6;
    return { value: used, text: `${used.toFixed(2)} us CPU, ${rate.toFixed(0)}/s` };
  };

/** One after the other. */
const timed =
  (latency: (peer: Peer) => Latency): Load['measure'] =>
  async (peer) => {
    const { p50, p99 } = latency(peer);
    return { value: p50, text: `p50 ${p50.toFixed(0)} us, p99 ${p99.toFixed(0)} us` };
  };

const closing = ['Connection: close'];
const connections = (kind: Kind, count: number) => (peer: Peer) =>
  wrk(peer, { kind, connections: count, headers: closing });
const trips = (kind: Kind, count: number) => (peer: Peer) => wrk(peer, { kind, connections: count });

/** Bytes of responses, as gigabits a second. */
const download = (kind: Kind) => (peer: Peer) => {
  const { rate, count, bytes } = wrk(peer, { kind, connections: 8, path: largePath });
  return { rate: ((bytes * 8) / 1e9) * (rate / count), count: bytes / 1e9 };
};

const [smallSets, largeSets, largeBytes] = [100_000, 6000, 2 ** 18];
const upload = (peer: Peer) => {
  const { rate, count } = redisBenchmark(peer, largeSets, largeBytes);
  return { rate: (rate * largeBytes * 8) / 1e9, count: (count * largeBytes) / 1e9 };
};

const memory: Load['measure'] = async (peer) => {
  const value = await idleBytes(peer);
  return { value, text: `${(value / 1024).toFixed(1)} KB` };
};

export const loads = {
  idle: {
    title: `memory of an idle connection (${idleConnections} held)`,
    measure: memory,
    isCost: true,
    isOnce: true,
    peers: unspliced.filter((name) => name !== 'direct'),
  },
  'bulk-up-1': { title: 'bulk up, 1 stream', measure: rated((peer) => iperf3(peer, 1), gigabits), peers: all },
  'bulk-down-1': {
    title: 'bulk down, 1 stream',
    measure: rated((peer) => iperf3(peer, 1, '-R'), gigabits),
    peers: all,
  },
  'bulk-up': {
    title: 'bulk up, 8 streams',
    measure: rated((peer) => iperf3(peer, 8), gigabits),
    peers: [...all, ...spread],
  },
  'bulk-down': { title: 'bulk down, 8 streams', measure: rated((peer) => iperf3(peer, 8, '-R'), gigabits), peers: all },
  new: {
    title: 'new connections, 32 at once',
    measure: rated(connections('web', 32), perSecond),
    warmRounds: 8,
    peers: [...unspliced, ...spread],
  },
  latency: {
    title: 'a new connection, one after the other',
    measure: timed(connections('web', 1)),
    isCost: true,
    peers: unspliced,
  },
  trips: {
    title: '64 B round trips, 64 connections',
    measure: rated(trips('web', 64), perSecond),
    peers: [...unspliced, ...spread],
  },
  'trip-latency': {
    title: '64 B round trip, one after the other',
    measure: timed(trips('web', 1)),
    isCost: true,
    peers: unspliced,
  },
  refusals: {
    title: 'a refused connection',
    measure: cost(refusals),
    isCost: true,
    peers: [...unspliced.filter((name) => name !== 'bare' && name !== 'direct'), 'bpf'],
  },
  'http-new': {
    title: 'inspector http, new connections',
    measure: rated(connections('http', 32), perSecond),
    peers: inspecting,
  },
  'http-trips': {
    title: 'inspector http, requests over 64 connections',
    measure: rated(trips('http', 64), perSecond),
    peers: inspecting,
  },
  'http-down': {
    title: 'inspector http, bulk down, 8 connections',
    measure: rated(download('http'), gigabits),
    peers: inspecting,
  },
  'tls-new': {
    title: 'inspector tls, new connections',
    measure: cost(connections('tls', 32)),
    isCost: true,
    peers: inspecting.filter((name) => name !== 'direct'),
  },
  'tls-trips': {
    title: 'inspector tls, requests over 64 connections',
    measure: rated(trips('tls', 64), perSecond),
    peers: inspecting,
  },
  'redis-trips': {
    title: 'inspector redis, SET of 64 B over 64 connections',
    measure: rated((peer) => redisBenchmark(peer, smallSets, 64), perSecond),
    peers: inspecting,
  },
  'redis-up': {
    title: 'inspector redis, SET of 256 KiB over 64 connections',
    measure: rated(upload, gigabits),
    peers: inspecting,
  },
} as const satisfies Record<string, Load>;

export type LoadName = keyof typeof loads;
