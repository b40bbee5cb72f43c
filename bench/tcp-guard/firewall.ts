/** Benchmarks the firewall table with 100,000 bans: what clients that are not banned lose. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Prefix, readPrefix } from '../../daemon/address/prefix.ts';
import { createNumbers, type Numbers } from '../../daemon/bans/testing/samples.ts';
import { type Element, ownerOf, setsOf, table, tableText } from '../../daemon/kernel-bans/ruleset.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { childSeconds, cpuSeconds, endedSeconds, samplesInTurn } from '../measure/measure.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import { fillStore } from './bans.ts';
import { startGuard } from './intake/guard.ts';

const bans = 100_000;
/** Twenty lengths. Each set of IPv4 is looked up for a packet of IPv4 that is not remembered as clean. */
const lengths = {
  4: [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32],
  6: [32, 40, 44, 48, 56, 64, 128],
} as const;
const budget = 0.97;
const rounds = 21;
const startBudget = 4000;
export const [host, client] = ['198.51.100.1', '198.51.100.7'] as const;
const [webPort, bulkPort] = [8080, 5201];

/** An address of a network that no client of the benchmark is in. */
function randomPrefix(below: Numbers, family: 4 | 6, length: number): Prefix {
  const text =
    family === 4
      ? `${20 + below(60)}.${below(256)}.${below(256)}.${below(256)}/${length}`
      : `2001:${Array.from({ length: 7 }, () => below(65_536).toString(16)).join(':')}/${length}`;
  return readPrefix(text) as Prefix;
}

function elements(): Element[] {
  const below = createNumbers(1);
  const kinds = ([4, 6] as const).flatMap((family) => lengths[family].map((length) => ({ family, length })));
  const chosen = new Map<string, Element>();
  for (let index = 0; chosen.size < bans; index += 1) {
    const { family, length } = kinds[index % kinds.length] as (typeof kinds)[number];
    const prefix = randomPrefix(below, family, length);
    chosen.set(`${prefix.words} ${length}`, { list: 'ban', prefix, leftMs: 86_400_000 });
  }
  return [...chosen.values()];
}

export const run = (line: string, input?: string): string => {
  const [program = '', ...args] = line.split(' ');
  return execFileSync(program, args, { encoding: 'utf8', ...(input !== undefined && { input }) });
};

function writeTable(): void {
  const all = elements();
  const rules = {
    scope: 'host',
    owner: ownerOf('bench'),
    exempt: [readPrefix('127.0.0.0/8') as Prefix],
    ports: [],
  } as const;
  run('nft -f -', `${tableText(rules, setsOf(all).values(), all).join('\n')}\n`);
}

/** A dormant table has no hooks. Connection tracking, which most hosts have anyway, stays on. */
const setDormant = (isDormant: boolean): string =>
  run('nft -f -', `add table ${table} ${isDormant ? '{ flags dormant; }' : ''}\n`);

/** Links a namespace with the client. Returns the command that runs a program in it, and what ends both. */
export async function linkClient(): Promise<{ enter: string; unlink: () => void }> {
  const holder = spawn('unshare', ['-n', 'sh', '-c', 'echo ready; exec sleep 900'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(holder.stdout, 'data');
  const enter = `nsenter -t ${holder.pid} -n`;
  run('ip link add to_client type veth peer name uplink');
  run(`ip link set uplink netns ${holder.pid}`);
  for (const line of [`ip addr add ${host}/24 dev to_client`, 'ip link set to_client up', 'ip link set lo up'])
    run(line);
  run(`${enter} ip addr add ${client}/24 dev uplink`);
  run(`${enter} ip link set uplink up`);
  const unlink = (): void => {
    run('ip link del to_client'); // the kernel does it some time after the namespace has ended
    holder.kill('SIGKILL');
  };
  return { enter, unlink };
}

function startServers(folder: string): [web: ChildProcess, bulk: ChildProcess] {
  const file = join(folder, 'nginx.conf');
  const web = `http { access_log off; server { listen ${host}:${webPort} backlog=4096; location / { return 204; } } }`;
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; events { worker_connections 4096; } ${web}\n`,
  );
  return [
    spawn('/usr/sbin/nginx', ['-e', 'stderr', '-p', folder, '-c', file], { stdio: 'ignore' }),
    spawn('iperf3', ['-s', '-B', host, '-p', String(bulkPort), '--logfile', '/dev/null'], { stdio: 'ignore' }),
  ];
}

interface Sample {
  /** Gigabytes or connections. */
  readonly count: number;
  readonly cpu: number;
}

const gigabytes = (enter: string): number => {
  const { end } = JSON.parse(run(`${enter} iperf3 -c ${host} -p ${bulkPort} -t1 -J`));
  return end.sum_received.bytes / 1e9;
};

const connections = (enter: string): number => {
  const output = run(`${enter} wrk -t1 -c32 -d1s -H Connection:close http://${host}:${webPort}/`);
  return Number(/(\d+) requests in/.exec(output)?.[1]);
};

const totalOf = (samples: readonly Sample[], key: keyof Sample): number =>
  samples.reduce((sum, sample) => sum + sample[key], 0);

/**
 * Compares the processor time of both ends, in which the kernel also looks packets up, with the table and without. The
 * rate depends on what else runs on the machine.
 */
async function rowOf(name: string, unit: string, server: ChildProcess, measure: () => number): Promise<Row> {
  const cpu = (): number => cpuSeconds(server.pid ?? 0) + childSeconds();
  const states = [true, false].map((isDormant) => (): Sample => {
    setDormant(isDormant);
    const before = cpu();
    const count = measure();
    return { count, cpu: cpu() - before };
  });
  const rates = (await samplesInTurn(states, { rounds })).map((all) => totalOf(all, 'count') / totalOf(all, 'cpu'));
  const [without = Number.NaN, withBans = Number.NaN] = rates;
  return {
    name: `firewall, ${name} with ${bans} bans in 20 lengths`,
    measured: `${withBans.toPrecision(4)} ${unit} in a second of CPU`,
    against: without.toPrecision(4),
    ratio: withBans / without,
    budget: `>= ${budget}`,
    holds: withBans / without >= budget,
  };
}

/** Starts the daemon with stored bans, until all of them are in the firewall. nft runs with its limit of memory. */
async function startRow(): Promise<Row> {
  const folder = scratchFolder('guard-firewall-');
  mkdirSync(join(folder, 'data'));
  await fillStore(join(folder, 'data'), bans);
  const start = performance.now();
  const child = await startGuard(folder, { bans: { scope: 'host' } }, (stats) =>
    stats.includes(`"entries":${bans},"exceptions`),
  );
  const milliseconds = performance.now() - start;
  const cpu = (cpuSeconds(child.pid ?? 0) + endedSeconds(child.pid ?? 0)) * 1000;
  child.kill('SIGKILL');
  run('nft flush ruleset');
  return {
    name: `firewall, start of tcp-guard until ${bans} stored bans are in force`,
    measured: `${milliseconds.toFixed(0)} ms, ${cpu.toFixed(0)} ms CPU of the daemon and nft`,
    budget: `< ${startBudget} ms`,
    holds: milliseconds < startBudget,
  };
}

async function* packetRows(): AsyncGenerator<Row> {
  const { enter, unlink } = await linkClient();
  const [web, bulk] = startServers(scratchFolder('guard-firewall-'));
  try {
    writeTable();
    yield await rowOf('iperf3', 'GB', bulk, () => gigabytes(enter));
    yield await rowOf('new connections', 'connections', web, () => connections(enter));
  } finally {
    for (const child of [web, bulk]) child.kill('SIGKILL');
    unlink();
  }
}

export const benchFirewall = (parts: readonly string[]): Rows =>
  rowsOfParts(parts, [
    ['packets', packetRows],
    ['start', async () => [await startRow()]],
  ]);
