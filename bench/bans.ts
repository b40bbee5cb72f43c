/** Bans of tcp-guard: the question that every new connection asks, a start with a million of them, and durable additions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../cli/assets.ts';
import { loadDaemon } from '../contract/load/index.ts';
import { createBans } from '../daemon/bans/index.ts';
import { toRow } from '../daemon/bans/row.ts';
import { sampleAddresses, sampleRecord } from '../daemon/bans/samples.ts';
import { openStore } from '../daemon/bans/store.ts';
import { BanTable } from '../daemon/bans/table.ts';
import { median } from './measure.ts';
import type { Row } from './row.ts';
import { freePort } from './side-by-side.ts';

const asked = 100_000;
const many = 1_000_000;
const [lookupBudget, memoryBudget, loadBudget, addBudget] = [200, 40, 5000, 2000];
const clients = 16;
const addSeconds = 3;

function tableOf(addresses: readonly string[]): { table: BanTable; megabytes: number } {
  globalThis.gc?.();
  const before = process.memoryUsage();
  const table = new BanTable();
  for (const ip of addresses) table.set(sampleRecord(ip, Number.MAX_SAFE_INTEGER));
  globalThis.gc?.();
  const after = process.memoryUsage();
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  return { table, megabytes: bytes / 2 ** 20 };
}

/** Nanoseconds of a question, median of rounds over all of them. */
function lookup(table: BanTable, questions: readonly string[]): number {
  const rounds = Array.from({ length: 20 }, () => {
    const start = process.hrtime.bigint();
    for (const ip of questions) table.covering(ip, 1);
    return Number(process.hrtime.bigint() - start) / questions.length;
  });
  return median(rounds.slice(5));
}

function lookups(): Row[] {
  const addresses = [...sampleAddresses(asked)];
  const { table, megabytes } = tableOf(addresses);
  const strangers = Array.from({ length: 10_000 }, (_, index) => `100.64.${index >> 8}.${index & 255}`);
  const miss = lookup(table, strangers);
  return [
    {
      name: `bans, look-up of a stranger among ${asked}`,
      measured: `${miss.toFixed(0)} ns`,
      budget: `< ${lookupBudget} ns`,
      holds: miss < lookupBudget,
    },
    {
      name: `bans, memory of ${asked}`,
      measured: `${megabytes.toFixed(1)} MB`,
      budget: `< ${memoryBudget} MB`,
      holds: megabytes < memoryBudget,
    },
  ];
}

interface Daemon {
  readonly port: number;
  readonly startMs: number;
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
  while (
    !(await fetch(`http://127.0.0.1:${port}/ping`).then(
      ({ ok }) => ok,
      () => false,
    ))
  );
  return {
    port,
    startMs: Date.now() - start,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

function post(agent: Agent, port: number, ip: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const sent = request({ agent, port, host: '127.0.0.1', path: '/ban', method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject).end(JSON.stringify({ ip, duration: '1h' }));
  });
}

const [created, tooMany] = [201, 429];

/** Acknowledged, and so durable, bans a second, until the time is over or the API has enough. */
async function additions({ port }: Daemon): Promise<number> {
  const addresses = sampleAddresses(many, 2);
  const start = performance.now();
  let [count, isOver] = [0, false];
  const one = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const status = await post(agent, port, addresses.next().value as string);
      if (status === created) count += 1;
      else if (status !== tooMany) throw new Error(`POST /ban was answered ${status}`);
      isOver ||= status === tooMany || performance.now() - start > addSeconds * 1000;
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, one));
  return (count / (performance.now() - start)) * 1000;
}

async function durable(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bans-'));
  const daemon = await startDaemon(folder);
  try {
    const perSecond = await additions(daemon);
    return {
      name: `bans, durable POST /ban with ${clients} clients`,
      measured: `${perSecond.toFixed(0)}/s`,
      budget: `>= ${addBudget}/s`,
      holds: perSecond >= addBudget,
    };
  } finally {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rows of one order to the store. */
const rowsAtOnce = 10_000;

async function fill(folder: string): Promise<void> {
  const store = openStore(join(folder, 'bans.sqlite'));
  const rows = Array.from(sampleAddresses(many), (ip) => toRow(sampleRecord(ip, Date.now() + 86_400_000)));
  for (let start = 0; start < many; start += rowsAtOnce) {
    const changes = rows.slice(start, start + rowsAtOnce);
    const outcome = await store.write(changes);
    if (!outcome.ok) throw new Error(outcome.message);
  }
  await store.close();
}

async function loading(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bans-'));
  try {
    await fill(folder);
    const loaded = loadDaemon(Buffer.from('version: 1'), 'bench', {});
    if (!loaded.ok) throw new Error('the shortest configuration is not valid');
    const start = performance.now();
    const bans = await createBans({ config: loaded.value, dataDir: folder, now: Date.now });
    const milliseconds = performance.now() - start;
    if (bans.count() !== many) throw new Error(`${bans.count()} of ${many} bans were loaded`);
    await bans.close();
    return {
      name: `bans, start with ${many}`,
      measured: `${milliseconds.toFixed(0)} ms`,
      budget: `< ${loadBudget} ms`,
      holds: milliseconds < loadBudget,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchBans(): Promise<Row[]> {
  return [...lookups(), await loading(), await durable()];
}
