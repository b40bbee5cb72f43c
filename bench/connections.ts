/** What the code of tcp-guard above the data plane costs for each connection: gates, session, record and statistics. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { daemonSchema } from '../contract/daemon/schema.ts';
import { startDaemon } from '../daemon/app/daemon.ts';
import { createNullPlane } from './connections/null-plane.ts';
import { median } from './measure.ts';
import type { Row } from './row.ts';
import { undisturbed } from './steal.ts';

const [cpuBudget, garbageBudget] = [15, 4096];
const [rounds, perRound, atOnce] = [9, 20_000, 32];

interface Cost {
  readonly microseconds: number;
  readonly bytes: number;
}

/** Serves the connections of one round, from different addresses. */
async function serve(accept: (peer: { ip: string; port: number }) => void): Promise<Cost> {
  const cpu = process.cpuUsage();
  const allocated = getHeapStatistics().total_allocated_bytes;
  for (let count = 0; count < perRound; ) {
    for (const end = count + atOnce; count < end; count += 1)
      accept({ ip: `10.${count & 63}.${(count >> 6) & 255}.1`, port: 1024 + (count & 0x7fff) });
    await turn();
  }
  const { user, system } = process.cpuUsage(cpu);
  const bytes = getHeapStatistics().total_allocated_bytes - allocated;
  return { microseconds: (user + system) / perRound, bytes: bytes / perRound };
}

async function measured(): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-connections-'));
  const config = daemonSchema().parse({
    version: 1,
    global: { log_file: join(folder, 'audit.jsonl'), data_dir: folder },
    api: { listen: '' },
    services: { one: { listen: '127.0.0.1:1', upstream: '127.0.0.1:2' } },
  });
  const plane = createNullPlane();
  const read = () =>
    ({ ok: true, name: '', value: config, file: {}, warnings: [], place: () => ({ line: 0, column: 0 }) }) as const;
  const daemon = await startDaemon(config, { read, folder }, plane);
  try {
    const costs: Cost[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const cost = await undisturbed(() => serve(plane.accept));
      if (round > 0) costs.push(cost); // the first round compiles
    }
    const of = (key: keyof Cost) => median(costs.map((cost) => cost[key]));
    return { microseconds: of('microseconds'), bytes: of('bytes') };
  } finally {
    await daemon.close(0);
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchConnections(): Promise<Row[]> {
  const { microseconds, bytes } = await measured();
  return [
    {
      name: 'CPU of a connection above the data plane',
      measured: `${microseconds.toFixed(1)} us`,
      budget: `<= ${cpuBudget} us`,
      holds: microseconds <= cpuBudget,
    },
    {
      name: 'garbage of a connection above the data plane',
      measured: `${bytes.toFixed(0)} bytes`,
      budget: `<= ${garbageBudget} bytes`,
      holds: bytes <= garbageBudget,
    },
  ];
}
