/**
 * Loads tcp-guard with idle connections, slow readers and a flood at the same time, then with clients that make it hold
 * bytes. Takes four minutes for each data plane.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlaneName } from '../../daemon/plane/choice.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { megabytes, repeatDuring } from '../measure/measure.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import type { CollectedMemory } from './soak/collected.ts';
import { mostConnections, type SoakDaemon, startSoakDaemon, type Tables } from './soak/daemon.ts';
import { heldRows } from './soak/held.ts';
import { type Program, startProgram } from './soak/program.ts';
import { type Visits, visitsDuring } from './soak/visitor.ts';

const idleCount = 9000;
const slowCount = 500;
const addresses = 100_000;
const floodSeconds = 60;
const [quietMs, sampleMs] = [3000, 500];
const idleBudget = 10 * 1024;
const slowBudget = 512 * 1024;
const floodBudget = 128 * 1024 * 1024;
const growthBudget = 1.1;
const descriptorBudget = 16; // the daemon opens some at first use and keeps them, such as those of the ban store

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
const timesText = ({ middle, slow, slowest }: Visits): string =>
  `${middle.toFixed(1)} / ${slow.toFixed(1)} / ${slowest.toFixed(1)} ms`;

interface FloodTotals {
  readonly connections: number;
  readonly addresses: number;
  readonly seconds: number;
}

/** `limited` admits one connection a minute from an address, `trap` records probes. */
interface SoakPorts {
  readonly echo: number;
  readonly source: number;
  readonly limited: number;
  readonly trap: number;
}

const servicesOf = (ports: SoakPorts, upstream: { readonly echo: number; readonly source: number }): string => `
services:
  echo: {listen: "127.0.0.1:${ports.echo}", upstream: "127.0.0.1:${upstream.echo}", max_connections: ${mostConnections}}
  source: {listen: "127.0.0.1:${ports.source}", upstream: "127.0.0.1:${upstream.source}"}
  limited:
    listen: "127.0.0.1:${ports.limited}"
    upstream: "127.0.0.1:${upstream.echo}"
    protocol: tls
    rate_limit: {connections_per_minute: 1, burst: 1}
port_scan: {listen: ["127.0.0.1:${ports.trap}"], threshold: 3, window: 10m}
`;

const collectedMemory = async (daemon: SoakDaemon): Promise<CollectedMemory> => (await daemon.collectMemory())[0];

/** Opens idle connections, which stay open until the program is stopped. */
async function holdIdle(daemon: SoakDaemon, { echo }: SoakPorts): Promise<Program> {
  const holder = startProgram('relay/client.js', 'idle', '127.0.0.1', echo, idleCount);
  await holder.nextLine<string>();
  const open = (await daemon.stats()).tables.connections?.entries ?? 0;
  if (open < idleCount) throw new Error(`${open} of ${idleCount} connections are open`);
  return holder;
}

interface Round {
  /** Memory while the idle connections are open, and after they are closed. */
  readonly during: CollectedMemory;
  readonly after: CollectedMemory;
}

async function idleRound(daemon: SoakDaemon, ports: SoakPorts): Promise<Round> {
  const holder = await holdIdle(daemon, ports);
  const during = await collectedMemory(daemon);
  await holder.stop();
  await daemon.waitUntilSettled();
  return { during, after: await collectedMemory(daemon) };
}

interface Peak {
  memory: number;
  readonly tables: Record<string, Tables[string]>;
}

/** Samples memory and tables until `work` is done. Returns the maximum of each. */
async function peakDuring<Done>(daemon: SoakDaemon, work: Promise<Done>): Promise<readonly [Peak, Done]> {
  const peak: Peak = { memory: 0, tables: {} };
  const done = await repeatDuring(work, async () => {
    peak.memory = Math.max(peak.memory, daemon.memory());
    for (const [name, fill] of Object.entries((await daemon.stats()).tables))
      if (fill.entries >= (peak.tables[name]?.entries ?? 0)) peak.tables[name] = fill;
    await sleep(sampleMs);
  });
  return [peak, done];
}

interface FullLoad {
  readonly idle: CollectedMemory;
  readonly slowed: CollectedMemory;
  readonly flooding: CollectedMemory;
  readonly slow: { readonly held: number; readonly pieces: number };
  readonly peak: Peak;
  readonly visits: Visits;
  readonly flooded: FloodTotals;
}

async function runFullLoad(daemon: SoakDaemon, ports: SoakPorts): Promise<FullLoad> {
  const programs: Program[] = [];
  const begin = (program: Program): Program => {
    programs.push(program);
    return program;
  };
  try {
    begin(await holdIdle(daemon, ports));
    const idle = await collectedMemory(daemon);
    const readers = begin(startProgram('soak/clients.js', 'slow', ports.source, slowCount));
    await readers.nextLine();
    const slowed = await collectedMemory(daemon);
    const { limited, trap } = ports;
    const clients = begin(startProgram('soak/clients.js', 'flood', floodSeconds, addresses, limited, trap));
    const [visits, [peak, flooded]] = await visitsDuring(
      ports.echo,
      peakDuring(daemon, clients.nextLine<FloodTotals>()),
    );
    const flooding = await collectedMemory(daemon);
    readers.finish();
    return { idle, slowed, flooding, slow: await readers.nextLine(), peak, visits, flooded };
  } finally {
    for (const program of programs) await program.stop();
  }
}

const tableRows = (tables: Tables): Row[] =>
  Object.entries(tables).map(([name, { entries, capacity }]) => ({
    name: `soak, table ${name}`,
    measured: String(entries),
    against: `of ${capacity}`,
    ratio: entries / capacity,
    budget: '<= 1, as /stats has it',
    holds: entries <= capacity,
  }));

function fullRows(before: Visits, { idle, slowed, flooding, slow, peak, visits, flooded }: FullLoad): Row[] {
  const each = (slowed.residentBytes - idle.residentBytes) / slowCount;
  const heldConnections = flooding.heapBytes - slowed.heapBytes;
  const rate = (flooded.connections / flooded.seconds).toFixed(0);
  return [
    {
      name: `soak, memory of a slow reader (${slow.held} of ${slowCount} held, ${slow.pieces} pieces taken)`,
      measured: kilobytes(each),
      budget: `<= ${kilobytes(slowBudget)}, none let go`,
      holds: each <= slowBudget && slow.held === slowCount,
    },
    {
      name: `soak, memory held after ${flooded.connections} connections from ${flooded.addresses} addresses, ${rate}/s`,
      measured: `+${megabytes(heldConnections)} (with garbage at most +${megabytes(peak.memory - slowed.residentBytes)})`,
      against: megabytes(slowed.heapBytes),
      budget: `<= +${megabytes(floodBudget)}`,
      holds: heldConnections <= floodBudget,
    },
    {
      name: `soak, one who behaves meanwhile (middle / 99 % / slowest of ${visits.count})`,
      measured: `${timesText(visits)}, ${visits.failed} failed`,
      against: `${timesText(before)} when it is quiet`,
      budget: 'none fails',
      holds: visits.failed === 0,
    },
    ...tableRows(peak.tables),
  ];
}

interface RemainingResources {
  readonly open: number;
  readonly descriptors: number;
  /** Referenced bytes after the last two rounds of idle connections. */
  readonly rounds: readonly [number, number];
}

function remainingResourceRows({ open, descriptors, rounds: [second, third] }: RemainingResources): Row[] {
  return [
    {
      name: 'soak, connections and descriptors that stay when it is over',
      measured: `${open}, ${descriptors}`,
      budget: `0, <= ${descriptorBudget}`,
      holds: open === 0 && descriptors <= descriptorBudget,
    },
    {
      name: `soak, memory held when ${idleCount} came and went for the third time`,
      measured: megabytes(third),
      against: `${megabytes(second)} after the second`,
      ratio: third / second,
      budget: `<= ${growthBudget}`,
      holds: third / second <= growthBudget,
    },
  ];
}

async function soak(daemon: SoakDaemon, ports: SoakPorts): Promise<Row[]> {
  const [before] = await visitsDuring(ports.echo, sleep(quietMs));
  const descriptors = daemon.descriptors().length;
  const { after: warm } = await idleRound(daemon, ports);
  const { during } = await idleRound(daemon, ports);
  const all = await runFullLoad(daemon, ports);
  const open = await daemon.waitUntilSettled();
  const leftDescriptors = daemon.descriptors().length - descriptors;
  const { after: second } = await idleRound(daemon, ports);
  const { after: third } = await idleRound(daemon, ports);
  const each = (during.residentBytes - warm.residentBytes) / idleCount;
  const heap = (during.heapBytes - warm.heapBytes) / idleCount;
  return [
    {
      name: `soak, memory of an idle connection (${idleCount} held)`,
      measured: `${kilobytes(each)} (${kilobytes(heap)} of it held by the heap)`,
      budget: `<= ${kilobytes(idleBudget)}`,
      holds: each <= idleBudget,
    },
    ...fullRows(before, all),
    ...remainingResourceRows({ open, descriptors: leftDescriptors, rounds: [second.heapBytes, third.heapBytes] }),
  ];
}

async function soakPlane(plane: PlaneName): Promise<Row[]> {
  const folder = scratchFolder('guard-soak-');
  const upstream = startProgram('soak/upstream.js');
  const rename = (row: Row): Row => ({ ...row, name: row.name.replace('soak', `soak, plane ${plane}`) });
  let daemon: SoakDaemon | undefined;
  try {
    const [echo, source, limited, trap] = await Promise.all(Array.from({ length: 4 }, freePort));
    const ports = { echo, source, limited, trap } as SoakPorts;
    const upstreams = await upstream.nextLine<{ echo: number; source: number; silent: number }>();
    const services = servicesOf(ports, upstreams);
    daemon = await startSoakDaemon(folder, { plane, workers: 1, services });
    const rows = await soak(daemon, ports);
    await daemon.stop();
    return [...rows, ...(await heldRows(plane, upstreams.silent))].map(rename);
  } finally {
    await daemon?.stop();
    await upstream.stop();
  }
}

/** @param parts names of data planes; empty: all */
export const benchSoak = (parts: readonly string[]): Rows =>
  rowsOfParts(
    parts,
    (['net', 'linux'] as const).map((plane) => [plane, () => soakPlane(plane)]),
  );
