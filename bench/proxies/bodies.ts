/** Measures the CPU time of bodies of 64 KiB, and the latency of benign requests while clients send hostile forms. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { extname, join } from 'node:path';
import { buildArtefact } from '../../artefacts/build.ts';
import { endChild } from '../../platform/testing/child.ts';
import { byLength } from '../measure/length.ts';
import { cpuSeconds } from '../measure/measure.ts';
import { type Row, type Rows, rowsIn } from '../measure/row.ts';
import { measureUndisturbed } from '../measure/steal.ts';
import type { Flood, Statuses } from './bodies/flood.ts';
import { nearBodies } from './bodies/near.ts';
import { send } from './bodies/send.ts';
import { type Body, bodies, withMatches } from './bodies/texts.ts';
import { startCaddy } from './caddy.ts';
import { type Hosts, rowsOfHosts } from './hosts.ts';
import { latencies, quantile } from './latency.ts';
import { startNginx } from './nginx.ts';
import type { Running } from './side-by-side.ts';
import { startGuardedTraefik } from './traefik.ts';

/** CPU milliseconds for an honest and for a hostile body. Traefik interprets the guard. */
const bodyBudgets = { honestMs: 50, hostileMs: 300 };
const interpretedBodyBudgets = { honestMs: 150, hostileMs: 1000 };
const latencyBudgetMs = 50;
const clients = 10;
const file = 'index.txt';
const floodSeconds = (): number => byLength(10, 4);
/** A measurement lasts this many CPU seconds, or 500 requests. It is long, because the CPU clock has steps of 10 ms. */
const leastCpuSeconds = (): number => byLength(2, 0.2);

async function cpuOf(host: string, { url, pid }: Running, body: Body, agent: Agent): Promise<number> {
  const before = cpuSeconds(pid);
  let count = 0;
  let used = 0;
  for (; used < leastCpuSeconds() && count < 500; count++) {
    const status = await send(url, agent, body);
    if ((status === 403 && !body.isMatched) || status >= 500)
      throw new Error(`${host}, ${body.name}: status ${status}`);
    used = cpuSeconds(pid) - before;
  }
  return (used / count) * 1000;
}

async function bodyRow(host: string, proxy: Running, body: Body): Promise<Row> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { honestMs, hostileMs } = host === 'Traefik' ? interpretedBodyBudgets : bodyBudgets;
  const budget = body.isHonest ? honestMs : hostileMs;
  for (let count = 0; count < 3; count++) await send(proxy.url, agent, body); // warms up
  const ms = await measureUndisturbed(() => cpuOf(host, proxy, body, agent));
  agent.destroy();
  return {
    name: `${host}, CPU for 64 KiB of ${body.name}`,
    measured: `${ms.toFixed(1)} ms`,
    budget: `< ${budget} ms`,
    holds: ms < budget,
  };
}

async function runFlood(child: ChildProcess, url: string): Promise<Statuses> {
  child.send({ url, clients, seconds: floodSeconds() } satisfies Flood);
  const [statuses] = await once(child, 'message');
  return statuses;
}

/**
 * Measures the latency of benign requests during a flood. The flood also delays an idle proxy on the same processors;
 * this delay does not count.
 */
async function floodRow(host: string, { url }: Running, idle: Running): Promise<Row> {
  const child = fork(join(import.meta.dirname, `bodies/flood${extname(import.meta.filename)}`));
  try {
    const { beside, apart, statuses } = await measureUndisturbed(async () => {
      const work = runFlood(child, url);
      const [beside, apart] = await Promise.all([latencies(url, work), latencies(idle.url, work)]);
      return { beside, apart, statuses: await work };
    });
    const [p95, idleP95] = [quantile(beside, 0.95), quantile(apart, 0.95)];
    const forms = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`);
    return {
      name: `${host}, p95 of a benign request while ${clients} clients post hostile forms`,
      measured: `${p95.toFixed(1)} ms`,
      against: `idle proxy ${idleP95.toFixed(1)} ms; median ${quantile(beside, 0.5).toFixed(1)} ms; forms: ${forms.join(', ')}`,
      budget: `< ${latencyBudgetMs} ms more than an idle proxy`,
      holds: p95 - idleP95 < latencyBudgetMs,
    };
  } finally {
    await endChild(child);
  }
}

const policy = { methods: ['*'], checkBody: true };

const hosts: Hosts = {
  Caddy: async (folder) =>
    startCaddy(
      await buildArtefact('caddy', {}),
      folder,
      'bodies',
      'guard {\n\t\t\tmethods *\n\t\t\tcheck_body true\n\t\t}',
    ),
  Traefik: (folder) => startGuardedTraefik(folder, policy),
  nginx: async (folder) => {
    writeFileSync(join(folder, file), file);
    const nginx = await startNginx(folder, '{ methods = { "*" }, check_body = true }');
    return { ...nginx, url: `${nginx.url}/${file}` }; // nginx answers a POST to a file with 405
  },
};

async function* measureHost(host: string, flooded: Running, idle: Running): AsyncGenerator<Row> {
  const all = [...bodies, ...nearBodies()];
  for (const body of [...all, ...withMatches(all)])
    yield* rowsIn(`${host}, ${body.name}`, async () => [await bodyRow(host, flooded, body)]);
  yield await floodRow(host, flooded, idle);
}

export const benchBodies = (parts: readonly string[]): Rows => rowsOfHosts(parts, hosts, measureHost);
