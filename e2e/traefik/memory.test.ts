/** Traefik makes every guard again with each change of its configuration. The compiled guard must not keep earlier ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/until.ts';
import { startTraefik, type Traefik, variants } from './process.ts';

const routers = 80;
/** Configurations that Traefik applied before the first measurement, when its heap has its final size. */
const warmUp = 50;
const changes = 1000;
/** Requests in parallel. */
const workers = 4;
const mostGrowth = 0.05;

const policyOf = (pattern: string): object => ({ checkQuery: true, blockPatterns: [pattern], securityLog: false });

const patternOf = (router: number, number: number): string =>
  router === 0 ? `^/only-${number}$` : `^/router-${router % 8}$`;

/** Each router has a guard. The policy of the first one changes; of the others, every eighth is the same. */
function configuration(url: string, number: number): object {
  const names = Array.from({ length: routers }, (_, index) => `guard-${index}`);
  const middlewares = names.map((name, index) => [name, { plugin: { guard: policyOf(patternOf(index, number)) } }]);
  const rows = names.map((name, index) => {
    const rule = index === 0 ? 'PathPrefix(`/`)' : `Host(\`h${index}.test\`)`;
    return [name, { rule, service: 'backend', middlewares: [name] }];
  });
  return {
    http: {
      routers: Object.fromEntries(rows),
      middlewares: Object.fromEntries(middlewares),
      services: { backend: { loadBalancer: { servers: [{ url }] } } },
    },
  };
}

const resident = ({ child }: Traefik): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);

async function backend(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a thousand changes under load add at most 5 % to the memory of the compiled guard, and lose no request', async (t) => {
  const url = await backend(t);
  const traefik = await startTraefik(t, configuration(url, 0), {}, variants.compiled);
  const agent = new Agent({ keepAlive: true, maxSockets: workers + 1 });
  t.after(() => agent.destroy());
  const status = async (path: string): Promise<number> => {
    const [response] = await once(get({ port: traefik.port, host: '127.0.0.1', path, agent }), 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  };
  await until(async () => (await status('/').catch(() => 0)) === 200, 'Traefik to serve');

  let isOver = false;
  const wrong = new Set<string>();
  let requests = 0;
  const work = async (worker: number): Promise<void> => {
    for (let number = worker; !isOver; number += 1) {
      const path = number % 3 === 0 ? '/.env' : `/clean?number=${number}`;
      const found = await status(path);
      requests += 1;
      if (found !== (path === '/.env' ? 403 : 200)) wrong.add(`${path}: ${found}`);
    }
  };
  const load = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  let before = 0;
  try {
    for (let number = 1; number <= changes; number += 1) {
      traefik.configure(configuration(url, number));
      await until(async () => (await status(`/only-${number}`)) === 403, `configuration ${number}`);
      if (number === warmUp) before = resident(traefik);
    }
  } finally {
    isOver = true;
    await load;
  }
  const after = resident(traefik);
  t.diagnostic(`${requests} requests; ${before} kB after ${warmUp} changes, ${after} kB after ${changes}`);
  assert.deepEqual([...wrong], []);
  assert.ok(after <= before * (1 + mostGrowth), `${before} kB, then ${after} kB`);
});
