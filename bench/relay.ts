/** tcp-guard against HAProxy with its default buffers, a bare relay of node:net and no relay at all, in one run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../platform/free-ports.ts';
import { interleaved } from './measure.ts';
import { stop } from './process.ts';
import { bulk, idleBytes, idleConnections, newConnections, refusals, roundTrips } from './relay/loads.ts';
import {
  loadProcessor,
  type Peer,
  type Ports,
  relayProcessor,
  startBare,
  startGuard,
  startHaproxy,
  startSpread,
} from './relay/peers.ts';
import { startUpstreams } from './relay/upstreams.ts';
import type { Row } from './row.ts';

const rounds = 3;

interface Load {
  readonly name: string;
  readonly unit: string;
  readonly digits: number;
  readonly measure: (peer: Peer) => number | Promise<number>;
  /** What tcp-guard over HAProxy must not fall below. */
  readonly floor: number;
  /** What tcp-guard over a bare relay of node:net must not fall below. Undefined: a bare relay refuses nothing. */
  readonly bareFloor: number | undefined;
  /** What two workers over one process must not fall below, with the load on the same two processors. */
  readonly spreadFloor: number;
  /** Whether it means something without a relay. */
  readonly isDirect: boolean;
}

const loads: readonly Load[] = [
  {
    name: 'bulk, 8 connections',
    unit: 'Gbit/s',
    digits: 1,
    measure: bulk,
    floor: 0.8,
    bareFloor: 0.95,
    spreadFloor: 0.9,
    isDirect: true,
  },
  {
    name: 'new connections',
    unit: '/s',
    digits: 0,
    measure: newConnections,
    floor: 0.45,
    bareFloor: 0.85,
    spreadFloor: 0.5,
    isDirect: true,
  },
  {
    name: 'round trips, 64 connections',
    unit: '/s',
    digits: 0,
    measure: roundTrips,
    floor: 0.6,
    bareFloor: 0.95,
    spreadFloor: 0.9,
    isDirect: true,
  },
  {
    name: 'refusals',
    unit: '/s',
    digits: 0,
    measure: refusals,
    floor: 0.8,
    bareFloor: undefined,
    spreadFloor: 0.5,
    isDirect: false,
  },
];

/** Floors are promises of the default data plane. */
const idleBudget = 10 * 1024;

async function freePorts(): Promise<Ports> {
  return { web: await freePort(), bulk: await freePort(), idle: await freePort() };
}

const shown = ({ digits, unit }: Load, value: number): string => `${value.toFixed(digits)} ${unit}`;

const measured = ({ measure }: Load, peers: readonly Peer[]): Promise<number[]> =>
  interleaved(
    rounds,
    peers.map((peer) => () => measure(peer)),
    [relayProcessor, loadProcessor],
  );

interface Peers {
  readonly guard: Peer;
  readonly haproxy: Peer;
  readonly bare: Peer;
  readonly direct: Peer;
}

/** Against HAProxy, and against a bare relay. */
async function compare(load: Load, { guard, haproxy, bare, direct }: Peers): Promise<Row[]> {
  const peers = load.isDirect ? [guard, haproxy, bare, direct] : [guard, haproxy];
  const [ours = 0, theirs = 0, unguarded, none] = await measured(load, peers);
  const ratio = ours / theirs;
  const straight = none === undefined ? '' : `, direct ${shown(load, none)}`;
  const row = {
    name: `relay, ${load.name}`,
    measured: `tcp-guard ${shown(load, ours)}`,
    against: `HAProxy ${shown(load, theirs)}${straight}`,
    ratio,
    budget: `>= ${load.floor} of HAProxy`,
    holds: ratio >= load.floor,
  };
  return unguarded === undefined ? [row] : [row, againstBare(load, ours, unguarded)];
}

function againstBare(load: Load, ours: number, unguarded: number): Row {
  const { bareFloor = 0 } = load;
  const ratio = ours / unguarded;
  return {
    name: `relay, ${load.name}, node:net`,
    measured: `tcp-guard ${shown(load, ours)}`,
    against: `bare relay ${shown(load, unguarded)}`,
    ratio,
    budget: `>= ${bareFloor} of a bare relay`,
    holds: ratio >= bareFloor,
  };
}

/** Two workers against one process, where both may use all processors and share them with the load. */
async function spread(load: Load, two: Peer, one: Peer): Promise<Row> {
  const [ours = 0, theirs = 0] = await measured(load, [two, one]);
  const ratio = ours / theirs;
  return {
    name: `relay, ${load.name}, workers: 2`,
    measured: shown(load, ours),
    against: `workers: 1 ${shown(load, theirs)}`,
    ratio,
    budget: `>= ${load.spreadFloor} of one process`,
    holds: ratio >= load.spreadFloor,
  };
}

async function idle(haproxy: Peer, guard: Peer): Promise<Row> {
  const ours = await idleBytes(guard);
  const theirs = await idleBytes(haproxy);
  return {
    name: `relay, memory of an idle connection (${idleConnections} held)`,
    measured: `tcp-guard ${(ours / 1024).toFixed(1)} KB`,
    against: `HAProxy ${(theirs / 1024).toFixed(1)} KB`,
    ratio: ours / theirs,
    budget: '<= 10 KB',
    holds: ours <= idleBudget,
  };
}

export async function benchRelay(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-relay-'));
  const upstreams = await freePorts();
  const servers = await startUpstreams(folder, upstreams);
  const direct: Peer = { name: 'direct', ports: upstreams, child: undefined, loadOn: loadProcessor };
  const relays: Peer[] = [];
  try {
    const haproxy = await startHaproxy(folder, await freePorts(), upstreams);
    relays.push(haproxy);
    const guard = await startGuard(folder, await freePorts(), upstreams);
    relays.push(guard);
    const bare = await startBare(await freePorts(), upstreams);
    relays.push(bare);
    const rows = [await idle(haproxy, guard)]; // first: memory that a load has left behind would be reused
    for (const load of loads) rows.push(...(await compare(load, { guard, haproxy, bare, direct })));
    const [two, one] = [
      await startSpread(join(folder, 'two'), await freePorts(), upstreams, 2),
      await startSpread(join(folder, 'one'), await freePorts(), upstreams, 1),
    ];
    relays.push(two, one);
    for (const load of loads) rows.push(await spread(load, two, one));
    return rows;
  } finally {
    for (const child of [...relays.map((relay) => relay.child), ...servers]) if (child) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}
