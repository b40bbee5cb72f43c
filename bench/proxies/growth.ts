/** Measures how the start, the memory and the requests of a proxy grow with its guards and their policies. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { exponentOf } from '../measure/exponent.ts';
import { byLength } from '../measure/length.ts';
import { median, residentBytes } from '../measure/measure.ts';
import { type Row, rowsIn } from '../measure/row.ts';
import type { Sent } from './growth/client.ts';
import { sendAll, statusOf } from './growth/client.ts';
import { type HostName, hosts, siteOf } from './growth/hosts.ts';
import { type Growth, growths } from './growth/inputs.ts';

/** The smaller cost of the rounds counts, because other programs only add to it; of the batches of requests, the median. */
const rounds = (): number => byLength(2, 1);
/** Further rounds follow while an exponent is too large: it can be noise of the smaller sizes. */
const mostRounds = 4;
const batches = 4;
/** Maximum of the exponent between the two largest sizes. */
const largestExponent = 1.1;

const quantities = [
  {
    key: 'start',
    title: 'processor time of the start',
    text: (seconds: number) => `${(seconds * 1000).toFixed(0)} ms`,
  },
  { key: 'memory', title: 'memory', text: (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB` },
  { key: 'request', title: 'a request', text: (seconds: number) => `${(seconds * 1e6).toFixed(0)} us` },
] as const;
type Cost = Readonly<Record<(typeof quantities)[number]['key'], number>>;

/** Returns the CPU seconds of all threads, in nanoseconds where `cpuSeconds` counts ticks; Linux, proc(5). */
const exactSeconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [nanoseconds = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1e9;
  }, 0);

let started = 0;

/** Measures one start of a proxy. Size 0: without a guard, and without a body. */
async function measure(host: HostName, { policies, sent, requests }: Growth, size: number): Promise<Cost> {
  const folder = join(scratchFolder('guard-growth-'), String(started++));
  mkdirSync(folder);
  const guards = size === 0 ? [] : policies(size, folder);
  const site = siteOf(Math.max(0, guards.length - 1));
  await using proxy = await hosts[host](folder, guards);
  const { url, pid } = proxy;
  const input: Sent = size === 0 ? { path: sent(1).path } : sent(size);
  while ((await statusOf(url, site)) !== 200); // the proxy may listen before it serves
  const start = exactSeconds(pid);
  const costs: number[] = [];
  for (let batch = 0; batch <= batches; batch += 1) {
    const before = exactSeconds(pid);
    await sendAll(url, site, input, requests / batches);
    costs.push(((exactSeconds(pid) - before) / requests) * batches);
  }
  const [, ...counted] = costs; // the first batch warms up
  return { start, memory: residentBytes(pid), request: median(counted) };
}

function rowOf(host: HostName, growth: Growth, quantity: (typeof quantities)[number], samples: Cost[][]): Row {
  const costs = samples.map((costsOfSize) => Math.min(...costsOfSize.map((cost) => cost[quantity.key])));
  const exponent = exponentOf(costs, growth.sizes);
  const [none = Number.NaN, ...sized] = costs;
  return {
    name: `${host}, ${growth.name} (${growth.sizes.join(', ')}): ${quantity.title}`,
    measured: `${sized.map(quantity.text).join(', ')}; exponent ${exponent === undefined ? 'below the noise' : exponent.toFixed(2)}`,
    against: `bare ${quantity.text(none)}`,
    budget: `exponent <= ${largestExponent}`,
    holds: exponent === undefined || exponent <= largestExponent,
  };
}

async function rowsOf(host: HostName, growth: Growth): Promise<Row[]> {
  const samples: Cost[][] = [0, ...growth.sizes].map(() => []);
  let rows: Row[] = [];
  for (let round = 0; round < rounds() || (round < mostRounds && rows.some(({ holds }) => !holds)); round += 1) {
    for (const [index, size] of [0, ...growth.sizes].entries()) samples[index]?.push(await measure(host, growth, size));
    rows = quantities.map((quantity) => rowOf(host, growth, quantity, samples));
  }
  return rows;
}

/** `parts`: names of proxies. */
export async function* benchGrowth(parts: readonly string[]): AsyncGenerator<Row> {
  for (const growth of growths)
    for (const host of growth.hosts.filter((name) => parts.length === 0 || parts.includes(name)))
      yield* rowsIn(`${host}, ${growth.name}`, () => rowsOf(host, growth));
}
