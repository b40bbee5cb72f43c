/** Idle connections, slow readers, a flood and a benign client at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { megabytes, repeatDuring } from '../../measure/measure.ts';
import type { Row } from '../../measure/row.ts';
import type { CollectedMemory } from './collected.ts';
import type { SoakDaemon, Tables } from './daemon.ts';
import { type Program, startProgram } from './program.ts';
import type { SoakPorts } from './services.ts';
import { type Visits, visitsDuring } from './visitor.ts';

const idleCount = 9000;
const slowCount = 500;
const addresses = 100_000;
const floodSeconds = 60;
const [quietMs, sampleMs] = [3000, 500];
const idleBudget = 10 * 1024;
const slowBudget = 512 * 1024;
const floodBudget = 128 * 1024 * 1024;

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
const timesText = ({ middle, slow, slowest }: Visits): string =>
  `${middle.toFixed(1)} / ${slow.toFixed(1)} / ${slowest.toFixed(1)} ms`;

interface FloodTotals {
  readonly connections: number;
  readonly addresses: number;
  readonly seconds: number;
}

/** Opens idle connections, which stay open until the program is stopped. */
async function holdIdle(daemon: SoakDaemon, { echo }: SoakPorts): Promise<Program> {
  const holder = startProgram('relay/client.js', 'idle', '127.0.0.1', echo, idleCount);
  await holder.nextLine<string>();
  const open = (await daemon.stats()).tables.connections?.entries ?? 0;
  if (open < idleCount) throw new Error(`${open} of ${idleCount} connections are open`);
  return holder;
}

/** Opens and closes the idle connections, after which memory for as many is not new. */
async function warmUp(daemon: SoakDaemon, ports: SoakPorts): Promise<CollectedMemory> {
  await (await holdIdle(daemon, ports)).stop();
  await daemon.waitUntilSettled();
  return daemon.collectMemory();
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

interface Load {
  /** The benign client without a load. */
  readonly quiet: Visits;
  readonly warm: CollectedMemory;
  readonly idle: CollectedMemory;
  readonly slowed: CollectedMemory;
  readonly flooding: CollectedMemory;
  readonly slow: { readonly held: number; readonly pieces: number };
  readonly peak: Peak;
  readonly visits: Visits;
  readonly flooded: FloodTotals;
}

async function runLoad(daemon: SoakDaemon, ports: SoakPorts): Promise<Load> {
  const [quiet] = await visitsDuring(ports.echo, sleep(quietMs));
  const warm = await warmUp(daemon, ports);
  const programs: Program[] = [];
  const begin = (program: Program): Program => {
    programs.push(program);
    return program;
  };
  try {
    begin(await holdIdle(daemon, ports));
    const idle = await daemon.collectMemory();
    const readers = begin(startProgram('soak/clients.js', 'slow', ports.source, slowCount));
    await readers.nextLine();
    const slowed = await daemon.collectMemory();
    const { limited, trap } = ports;
    const clients = begin(startProgram('soak/clients.js', 'flood', floodSeconds, addresses, limited, trap));
    const [visits, [peak, flooded]] = await visitsDuring(
      ports.echo,
      peakDuring(daemon, clients.nextLine<FloodTotals>()),
    );
    const flooding = await daemon.collectMemory();
    readers.finish();
    return { quiet, warm, idle, slowed, flooding, slow: await readers.nextLine(), peak, visits, flooded };
  } finally {
    for (const program of programs) await program.stop();
    await daemon.waitUntilSettled();
  }
}

const tableRows = (tables: Tables): Row[] =>
  Object.entries(tables).map(([name, { entries, capacity }]) => ({
    name: `table ${name}`,
    measured: String(entries),
    against: `of ${capacity}`,
    ratio: entries / capacity,
    budget: '<= 1, as /stats has it',
    holds: entries <= capacity,
  }));

function rowsOf({ quiet, warm, idle, slowed, flooding, slow, peak, visits, flooded }: Load): Row[] {
  const ofIdle = (idle.residentBytes - warm.residentBytes) / idleCount;
  const ofSlow = (slowed.residentBytes - idle.residentBytes) / slowCount;
  const heldBytes = flooding.heapBytes - slowed.heapBytes;
  const rate = (flooded.connections / flooded.seconds).toFixed(0);
  return [
    {
      name: `memory of an idle connection (${idleCount} held)`,
      measured: `${kilobytes(ofIdle)} (${kilobytes((idle.heapBytes - warm.heapBytes) / idleCount)} of it held by the heap)`,
      budget: `<= ${kilobytes(idleBudget)}`,
      holds: ofIdle <= idleBudget,
    },
    {
      name: `memory of a slow reader (${slow.held} of ${slowCount} held, ${slow.pieces} pieces taken)`,
      measured: kilobytes(ofSlow),
      budget: `<= ${kilobytes(slowBudget)}, none let go`,
      holds: ofSlow <= slowBudget && slow.held === slowCount,
    },
    {
      name: `memory held after ${flooded.connections} connections from ${flooded.addresses} addresses, ${rate}/s`,
      measured: `+${megabytes(heldBytes)} (with garbage at most +${megabytes(peak.memory - slowed.residentBytes)})`,
      against: megabytes(slowed.heapBytes),
      budget: `<= +${megabytes(floodBudget)}`,
      holds: heldBytes <= floodBudget,
    },
    {
      name: `one who behaves meanwhile (middle / 99 % / slowest of ${visits.count})`,
      measured: `${timesText(visits)}, ${visits.failed} failed`,
      against: `${timesText(quiet)} when it is quiet`,
      budget: 'none fails',
      holds: visits.failed === 0,
    },
    ...tableRows(peak.tables),
  ];
}

export const loadRows = async (daemon: SoakDaemon, ports: SoakPorts): Promise<Row[]> =>
  rowsOf(await runLoad(daemon, ports));
