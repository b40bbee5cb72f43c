/** While Traefik changes its configuration, no clean request is lost and no blocked one passes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { listen } from '../support/listen.ts';
import { routeWithGuards, startTraefik } from './process.ts';

const reloads = 12;
const workers = 8;

test('reloads under load change verdicts at once and lose no request', async (t) => {
  const backend = createServer((_request, response) => response.end('ok'));
  const url = `http://127.0.0.1:${await listen(t, backend)}`;
  const policy = (number: number): object => ({ blockPatterns: [`^/only-${number}$`], response: { mode: 'json' } });
  const configuration = (number: number): object => routeWithGuards(url, { guard: policy(number) });
  const traefik = await startTraefik(t, configuration(0));
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
  const answers = new Map<string, number>();
  const work = async (worker: number): Promise<void> => {
    for (let number = worker; !isOver; number += 1) {
      const path = ['/.env', '/clean', `/clean/${number}?a=b`, '/.git/config', '/a%20b'][number % 5] as string;
      const wanted = path.startsWith('/.') ? 403 : 200;
      const found = await status(path);
      const name = found === wanted ? 'right' : `${path}: ${found}`;
      answers.set(name, (answers.get(name) ?? 0) + 1);
    }
  };
  const load = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  try {
    for (let number = 1; number <= reloads; number += 1) {
      traefik.configure(configuration(number));
      await until(async () => (await status(`/only-${number}`)) === 403, `policy ${number}`);
      assert.equal(await status(`/only-${number - 1}`), 200);
    }
  } finally {
    isOver = true;
    await load;
  }
  t.diagnostic(JSON.stringify([...answers]));
  assert.deepEqual([...answers.keys()], ['right']);
});
