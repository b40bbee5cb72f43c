/** Benchmarks the bans of tcp-guard: lookups, a start with a million bans, and durable additions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Daemon as DaemonConfig } from '../../contract/daemon/schema.ts';
import { loadDaemon } from '../../contract/load/index.ts';
import { createBans } from '../../daemon/bans/index.ts';
import { toRow } from '../../daemon/bans/row.ts';
import { openStore } from '../../daemon/bans/store.ts';
import { sampleAddresses, sampleRecord } from '../../daemon/bans/testing/samples.ts';
import { packageRoot } from '../../platform/assets.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { cpuSeconds, median } from '../measure/measure.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import { measureUndisturbed } from '../measure/steal.ts';
import { benchLookups } from './bans/lookups.ts';

const banCount = 1_000_000;
const [loadBudget, addBudget] = [5000, 2000];
const clients = 16;
const [addSeconds, starts] = [3, 5];
const startPatienceMs = 60_000;

interface Daemon {
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

async function startDaemon(folder: string): Promise<Daemon> {
  const port = await freePort();
  const file = join(folder, 'tcp-guard.yaml');
  const [log, data] = [join(folder, 'audit.jsonl'), join(folder, 'data')];
  writeFileSync(
    file,
    `global: {log_level: error, log_file: ${log}, data_dir: ${data}}\napi: {listen: "127.0.0.1:${port}"}\n`,
  );
  const start = Date.now();
  const child = spawn(process.execPath, [join(packageRoot, 'dist/bin/tcp-guard.js'), '-c', file], { stdio: 'ignore' });
  const closed = once(child, 'close');
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('tcp-guard ended before it served');
    if (Date.now() - start > startPatienceMs) {
      child.kill('SIGKILL');
      throw new Error(`tcp-guard does not serve after ${startPatienceMs / 1000} s`);
    }
  }
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

/**
 * Posts bans one after the other over one connection. Uses less processor time than the daemon, so that the daemon is
 * the limit.
 */
async function openPoster(port: number): Promise<{ post: (ip: string) => Promise<number>; close: () => void }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const closed = once(socket, 'close').then(() => Promise.reject(new Error('tcp-guard closed the connection')));
  closed.catch(() => undefined);
  const post = async (ip: string): Promise<number> => {
    const body = JSON.stringify({ ip, duration: '1h', force: true });
    const head = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`POST /ban HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    let answer = '';
    do answer += String(await Promise.race([once(socket, 'data'), closed]));
    while (!answer.endsWith('}\n'));
    return Number(answer.split(' ', 2)[1]);
  };
  return { post, close: () => socket.destroy() };
}

const [created, tooMany] = [201, 429];

interface Additions {
  readonly perSecond: number;
  readonly microseconds: number;
}

/** Measures durable bans a second, and the daemon's processor time for each. Stops early when the API refuses bans. */
async function measureAdditions({ port, pid }: Daemon): Promise<Additions> {
  const addresses = sampleAddresses(banCount, 2);
  const [start, used] = [performance.now(), cpuSeconds(pid)];
  let [count, isOver] = [0, false];
  const one = async (): Promise<void> => {
    const { post, close } = await openPoster(port);
    while (!isOver) {
      const status = await post(addresses.next().value as string);
      if (status === created) count += 1;
      else if (status !== tooMany) throw new Error(`POST /ban was answered ${status}`);
      isOver ||= status === tooMany || performance.now() - start > addSeconds * 1000;
    }
    close();
  };
  await Promise.all(Array.from({ length: clients }, one));
  const microseconds = ((cpuSeconds(pid) - used) / count) * 1e6;
  return { perSecond: (count / (performance.now() - start)) * 1000, microseconds };
}

/** Starts a new daemon for each round, because the bans of a round stay. */
async function additionsOfOne(): Promise<Additions> {
  const folder = scratchFolder('guard-bans-');
  const daemon = await startDaemon(folder);
  return measureAdditions(daemon).finally(daemon.stop);
}

async function durableRow(): Promise<Row> {
  const { perSecond, microseconds } = await measureUndisturbed(additionsOfOne);
  return {
    name: `bans, durable POST /ban with ${clients} clients`,
    measured: `${perSecond.toFixed(0)}/s, ${microseconds.toFixed(0)} us CPU each`,
    budget: `>= ${addBudget}/s`,
    holds: perSecond >= addBudget,
  };
}

const rowsAtOnce = 10_000;

/** Stores this many bans of a day in a data folder. */
export async function fillStore(folder: string, count: number): Promise<void> {
  const store = openStore(join(folder, 'bans.sqlite'));
  const rows = Array.from(sampleAddresses(count), (ip) => toRow(sampleRecord(ip, Date.now() + 86_400_000)));
  for (let start = 0; start < count; start += rowsAtOnce) {
    const changes = rows.slice(start, start + rowsAtOnce);
    const outcome = await store.write({ changes, lifted: [], isWhole: start + rowsAtOnce >= count }, () => {});
    if (!outcome.ok) throw new Error(outcome.message);
  }
  await store.close(() => {});
}

/** Measures wall-clock and processor milliseconds of one start. */
async function start(folder: string, config: DaemonConfig): Promise<{ milliseconds: number; cpu: number }> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const bans = await createBans({ config, dataDir: folder, now: Date.now });
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  if (bans.count() !== banCount) throw new Error(`${bans.count()} of ${banCount} bans were loaded`);
  await bans.close();
  return { milliseconds, cpu: (user + system) / 1000 };
}

async function loadingRow(): Promise<Row> {
  const folder = scratchFolder('guard-bans-');
  await fillStore(folder, banCount);
  const loaded = loadDaemon(Buffer.from('version: 1'), 'bench', {});
  if (!loaded.ok) throw new Error('the shortest configuration is not valid');
  const rounds: Awaited<ReturnType<typeof start>>[] = [];
  while (rounds.length < starts) rounds.push(await measureUndisturbed(() => start(folder, loaded.value)));
  const milliseconds = median(rounds.map((round) => round.milliseconds));
  const cpu = median(rounds.map((round) => round.cpu));
  return {
    name: `bans, start with ${banCount}`,
    measured: `${milliseconds.toFixed(0)} ms, ${cpu.toFixed(0)} ms CPU`,
    budget: `< ${loadBudget} ms`,
    holds: milliseconds < loadBudget,
  };
}

export const benchBans = (parts: readonly string[]): Rows =>
  rowsOfParts(parts, [
    ['lookups', benchLookups],
    ['start', async () => [await loadingRow()]],
    ['durable', async () => [await durableRow()]],
  ]);
