/** Compares the cost of a new connection with two workers and without workers. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { childrenOf, endChild } from '../../platform/testing/child.ts';
import { cpuSeconds, median, samplesInTurn } from '../measure/measure.ts';
import { checkAlgorithm, waitUntilListening } from '../measure/process.ts';
import type { Row } from '../measure/row.ts';
import type { Task } from './workers/load.ts';

const [rounds, seconds] = [5, 3];
/**
 * Minimum ratio: the connections that two workers can serve on two processors, divided by the connections that one
 * process can serve on one processor.
 */
const floor = 1.5;
/** Minimum ratio of connections a second while clients and upstream use the same two processors. */
const sharedFloor = 0.5;

interface Daemon {
  readonly child: ChildProcess;
  readonly port: number;
  readonly workers: readonly number[];
}

interface Cost {
  readonly perSecond: number;
  /** CPU microseconds of a connection, in the main process and in all workers. */
  readonly main: number;
  readonly workers: number;
}

async function startDaemon(folder: string, upstream: number, workers: number): Promise<Daemon> {
  mkdirSync(folder);
  const port = await freePort();
  const file = join(folder, 'tcp-guard.json');
  const config = {
    version: 1,
    global: { workers, log_file: join(folder, 'audit.jsonl'), data_dir: folder, never_ban: [] },
    bans: { kernel: 'off' },
    api: { listen: '', socket: join(folder, 'api.sock') },
    services: { one: { listen: `127.0.0.1:${port}`, upstream: `127.0.0.1:${upstream}` } },
  };
  writeFileSync(file, JSON.stringify(config));
  const program = join(packageRoot, 'dist/bin/tcp-guard.js');
  const child = spawn(process.execPath, [program, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  await waitUntilListening(port, child);
  return { child, port, workers: childrenOf(child.pid as number) };
}

async function countServed(load: ChildProcess, port: number): Promise<number> {
  load.send({ port, seconds } satisfies Task);
  const [count] = await once(load, 'message');
  return Number(count);
}

async function measure(load: ChildProcess, { child, port, workers }: Daemon): Promise<Cost> {
  const usage = () =>
    [[child.pid as number], workers].map((pids) => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0));
  const before = usage();
  const count = await countServed(load, port);
  const [main = 0, others = 0] = usage().map((value, index) => ((value - (before[index] ?? 0)) * 1e6) / count);
  return { perSecond: count / seconds, main, workers: others };
}

const medianCost = (costs: readonly Cost[], key: keyof Cost): number => median(costs.map((cost) => cost[key]));
const microsecondsText = (one: number): string => `${one.toFixed(0)} us`;

function costRows(one: readonly Cost[], two: readonly Cost[]): Row[] {
  const single = medianCost(one, 'main');
  const [coordinator, workers] = [medianCost(two, 'main'), medianCost(two, 'workers')];
  const ratio = (2 * single) / (coordinator + workers);
  const [rate, singleRate] = [medianCost(two, 'perSecond'), medianCost(one, 'perSecond')];
  return [
    {
      name: 'CPU of a new connection, workers: 2',
      measured: `${microsecondsText(coordinator)} in the coordinator, ${microsecondsText(workers)} in the workers`,
      against: `one process ${microsecondsText(single)}`,
      ratio,
      budget: `two free processors: >= ${floor} of one process`,
      holds: ratio >= floor,
    },
    {
      name: 'new connections, workers: 2, with the clients on the same processors',
      measured: `${rate.toFixed(0)}/s`,
      against: `one process ${singleRate.toFixed(0)}/s`,
      ratio: rate / singleRate,
      budget: `>= ${sharedFloor} of one process`,
      holds: rate / singleRate >= sharedFloor,
    },
  ];
}

export async function benchWorkers(): Promise<Row[]> {
  checkAlgorithm();
  const folder = scratchFolder('guard-workers-');
  const load = fork(join(packageRoot, 'dist/bench/tcp-guard/workers/load.js'));
  const children = [load];
  try {
    const [upstream] = await once(load, 'message');
    const one = await startDaemon(join(folder, 'one'), Number(upstream), 1);
    children.push(one.child);
    const two = await startDaemon(join(folder, 'two'), Number(upstream), 2);
    children.push(two.child);
    const measurements = [one, two].map((daemon) => () => measure(load, daemon));
    const [single = [], double = []] = await samplesInTurn(measurements, { rounds });
    return costRows(single, double);
  } finally {
    for (const child of children) await endChild(child);
  }
}
