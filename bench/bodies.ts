/** What bodies of 64 KiB cost each proxy, and what ten clients that send the worst ones cost all others. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildArtefact } from '../sandbox-images/build.ts';
import { startCaddy } from './caddy.ts';
import { type Body, bodies, hostileForm } from './load-bodies.ts';
import { cpuSeconds, during } from './measure.ts';
import { startNginx } from './nginx.ts';
import { stop } from './process.ts';
import type { Row } from './row.ts';
import type { Running } from './side-by-side.ts';
import { startGuardedTraefik } from './traefik.ts';

const honestMs = 50;
const hostileMs = 300;
const benignMs = 50;
const clients = 10;
const file = 'index.txt';
const floodSeconds = 10;
/** CPU time is counted in hundredths of a second. */
const enoughSeconds = 0.5;

/** Sends one request and reads its response. @returns the status */
function send(url: string, agent: Agent, body?: Body): Promise<number> {
  const headers = body && { 'content-type': body.type, 'content-length': Buffer.byteLength(body.text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: body ? 'POST' : 'GET', ...(headers && { headers }) }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject).end(body?.text);
  });
}

async function bodyRow(host: string, { url, pid }: Running, body: Body): Promise<Row> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const budget = body.isHonest ? honestMs : hostileMs;
  for (let count = 0; count < 3; count++) await send(url, agent, body); // warms up
  const before = cpuSeconds(pid);
  let count = 0;
  let used = 0;
  for (; used < enoughSeconds && count < 500; count++) {
    const status = await send(url, agent, body);
    if (status === 403 || status >= 500) throw new Error(`${host}, ${body.name}: status ${status}`);
    used = cpuSeconds(pid) - before;
  }
  agent.destroy();
  const ms = (used / count) * 1000;
  return {
    name: `${host}, CPU for 64 KiB of ${body.name}`,
    measured: `${ms.toFixed(1)} ms`,
    budget: `< ${budget} ms`,
    holds: ms < budget,
  };
}

/** Latency of benign requests while others post hostile forms. */
async function floodRow(host: string, { url }: Running): Promise<Row> {
  const end = Date.now() + floodSeconds * 1000;
  const statuses = new Map<number, number>();
  const flood = Array.from({ length: clients }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (Date.now() < end) {
      const status = await send(url, agent, hostileForm);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    agent.destroy();
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const samples: number[] = [];
  await during(Promise.all(flood), async () => {
    const began = performance.now();
    await send(url, agent);
    samples.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  agent.destroy();
  samples.sort((a, b) => a - b);
  const p95 = samples[Math.floor(samples.length * 0.95)] ?? Number.NaN;
  const answers = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
  return {
    name: `${host}, p95 of a benign request while ${clients} clients post hostile forms`,
    measured: `${p95.toFixed(1)} ms`,
    against: `${(samples[samples.length >> 1] ?? 0).toFixed(1)} ms median; forms: ${answers}`,
    budget: `< ${benignMs} ms`,
    holds: p95 < benignMs,
  };
}

const policy = { methods: ['*'], checkBody: true };

const hosts: Readonly<Record<string, (folder: string) => Promise<Running>>> = {
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

export async function benchBodies(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [host, startHost] of Object.entries(hosts)) {
    const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
    const running = await startHost(folder);
    try {
      for (const body of bodies) rows.push(await bodyRow(host, running, body));
      rows.push(await floodRow(host, running));
    } finally {
      await stop(running.child);
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return rows;
}
