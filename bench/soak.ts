/**
 * tcp-guard under everything at once: 9,000 idle connections, 500 slow readers, and a flood from 100,000 addresses. A
 * benign client is served meanwhile, tables stay within their bounds, and no resource is left afterwards. About two minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../platform/free-ports.ts';
import { during } from './measure.ts';
import type { Row } from './row.ts';
import type { Collected } from './soak/collected.ts';
import { type SoakDaemon, type SoakPorts, startSoakDaemon } from './soak/daemon.ts';
import { type Program, startProgram } from './soak/program.ts';
import { type Visits, visitsDuring } from './soak/visitor.ts';

const idleCount = 9000;
const slowCount = 500;
const addresses = 100_000;
const floodSeconds = 60;
const [quietMs, sampleMs] = [3000, 500];
/** What is promised, and what a machine that does other things still leaves of it. */
const idleBudget = 10 * 1024;
const slowBudget = 512 * 1024;
const floodBudget = 128 * 1024 * 1024;
const growthBudget = 1.1;
const descriptorBudget = 16; // the ban store, and what else is opened once

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
const times = ({ middle, slow, slowest }: Visits): string =>
  `${middle.toFixed(1)} / ${slow.toFixed(1)} / ${slowest.toFixed(1)} ms`;

interface Flooded {
  readonly connections: number;
  readonly made: number;
  readonly addresses: number;
  readonly seconds: number;
}

type Tables = Record<string, { readonly entries: number; readonly capacity: number }>;

/** Connections that are left once nothing changes any more, after a bounded time. */
async function settled(daemon: SoakDaemon): Promise<number> {
  for (let tries = 100; ; tries -= 1) {
    const open = (await daemon.stats()).tables.connections?.entries ?? 0;
    if (open === 0 || tries === 0) return open;
    await sleep(100);
  }
}

/** Opens the idle connections; they stay until the program is stopped. */
async function holdIdle({ echo }: SoakPorts): Promise<Program> {
  const holder = startProgram('relay/client.js', 'idle', echo, idleCount);
  await holder.says<string>();
  return holder;
}

interface Round {
  /** While they are held, and when they are let go. */
  readonly during: Collected;
  readonly after: Collected;
}

/** The idle connections alone. */
async function idleRound(daemon: SoakDaemon, ports: SoakPorts): Promise<Round> {
  const holder = await holdIdle(ports);
  const during = await daemon.collected();
  await holder.stop();
  await settled(daemon);
  return { during, after: await daemon.collected() };
}

interface Peak {
  memory: number;
  readonly tables: Tables;
}

/** Looks at memory and tables again and again; the most of each. */
async function watched<Done>(daemon: SoakDaemon, work: Promise<Done>): Promise<readonly [Peak, Done]> {
  const peak: Peak = { memory: 0, tables: {} };
  const done = await during(work, async () => {
    peak.memory = Math.max(peak.memory, daemon.memory());
    for (const [name, fill] of Object.entries((await daemon.stats()).tables))
      if (fill.entries >= (peak.tables[name]?.entries ?? 0)) peak.tables[name] = fill;
    await sleep(sampleMs);
  });
  return [peak, done];
}

interface Full {
  readonly idle: Collected;
  readonly slowed: Collected;
  readonly flooding: Collected;
  readonly slow: { readonly held: number; readonly pieces: number };
  readonly peak: Peak;
  readonly visits: Visits;
  readonly flooded: Flooded;
}

/** Everything at once. */
async function full(daemon: SoakDaemon, ports: SoakPorts): Promise<Full> {
  const programs: Program[] = [];
  const begin = (program: Program): Program => {
    programs.push(program);
    return program;
  };
  try {
    begin(await holdIdle(ports));
    const idle = await daemon.collected();
    const readers = begin(startProgram('soak/clients.js', 'slow', ports.source, slowCount));
    await readers.says();
    const slowed = await daemon.collected();
    const { limited, trap } = ports;
    const clients = begin(startProgram('soak/clients.js', 'flood', floodSeconds, addresses, limited, trap));
    const [visits, [peak, flooded]] = await visitsDuring(ports.echo, watched(daemon, clients.says<Flooded>()));
    const flooding = await daemon.collected();
    readers.finish();
    return { idle, slowed, flooding, slow: await readers.says(), peak, visits, flooded };
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

function fullRows(before: Visits, { idle, slowed, flooding, slow, peak, visits, flooded }: Full): Row[] {
  const each = (slowed.resident - idle.resident) / slowCount;
  const held = flooding.held - slowed.held;
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
      measured: `+${megabytes(held)} (with garbage at most +${megabytes(peak.memory - slowed.resident)})`,
      against: megabytes(slowed.held),
      budget: `<= +${megabytes(floodBudget)}`,
      holds: held <= floodBudget,
    },
    {
      name: `soak, one who behaves meanwhile (middle / 99 % / slowest of ${visits.count})`,
      measured: `${times(visits)}, ${visits.failed} failed`,
      against: `${times(before)} when it is quiet`,
      budget: 'none fails',
      holds: visits.failed === 0,
    },
    ...tableRows(peak.tables),
  ];
}

interface Left {
  readonly open: number;
  readonly descriptors: number;
  /** What is held after each time that the idle connections came and went. */
  readonly rounds: readonly [number, number];
}

function leftRows({ open, descriptors, rounds: [second, third] }: Left): Row[] {
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
  const descriptors = daemon.descriptors();
  const { after: warm } = await idleRound(daemon, ports);
  const { during } = await idleRound(daemon, ports);
  const all = await full(daemon, ports);
  const open = await settled(daemon);
  const left = daemon.descriptors() - descriptors;
  const { after: second } = await idleRound(daemon, ports);
  const { after: third } = await idleRound(daemon, ports);
  const each = (during.resident - warm.resident) / idleCount;
  const heap = (during.held - warm.held) / idleCount;
  return [
    {
      name: `soak, memory of an idle connection (${idleCount} held)`,
      measured: `${kilobytes(each)} (${kilobytes(heap)} of it held by the heap)`,
      budget: `<= ${kilobytes(idleBudget)}`,
      holds: each <= idleBudget,
    },
    ...fullRows(before, all),
    ...leftRows({ open, descriptors: left, rounds: [second.held, third.held] }),
  ];
}

export async function benchSoak(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-soak-'));
  const upstream = startProgram('soak/upstream.js');
  let daemon: SoakDaemon | undefined;
  try {
    const [echo, source, limited, trap] = await Promise.all(Array.from({ length: 4 }, freePort));
    const ports = { echo, source, limited, trap } as SoakPorts;
    daemon = await startSoakDaemon(folder, ports, await upstream.says());
    return await soak(daemon, ports);
  } finally {
    await daemon?.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
