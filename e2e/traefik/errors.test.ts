/** What the service of Traefik's `errors` middleware receives for a request that the guard refused. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { listen } from '../support/listen.ts';
import { startTraefik } from './process.ts';

test('a refused request is not repeated to the service of an error page', async (t) => {
  const received: string[] = [];
  const backend = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const body = (await request.toArray()).join('');
    received.push(`${method} ${url} ${body} ${headers['x-inspected'] ?? ''}`);
    response.end('page');
  });
  const url = `http://127.0.0.1:${await listen(t, backend)}`;
  const page = {
    status: ['400-599'],
    service: 'backend',
    query: '/page?{status}&{url}',
    errorRequestHeaders: ['Accept'],
  };
  const guard = { methods: '*', checkQuery: true, checkBody: true, checkHeaders: ['X-Inspected'], securityLog: false };
  const { port } = await startTraefik(t, {
    http: {
      routers: { all: { rule: 'PathPrefix(`/`)', service: 'backend', middlewares: ['errors', 'guard'] } },
      services: { backend: { loadBalancer: { servers: [{ url }] } } },
      middlewares: { errors: { errors: page }, guard: { plugin: { guard } } },
    },
  });
  const send = (path: string, headers: Record<string, string>, body: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  await until(
    () =>
      send('/', {}, '').then(
        ({ status }) => status === 200,
        () => false,
      ),
    'Traefik to serve',
  );
  received.length = 0;
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (const [path, headers, body] of [
    ['/.env', form, 'a=1'],
    ['/x', form, 'f=../../etc/passwd'],
    ['/x', { 'X-Inspected': '/.env' }, ''],
  ] as const) {
    assert.equal((await send(path, headers, body)).status, 403);
    const escaped = encodeURIComponent(`http://127.0.0.1:${port}${path}`);
    assert.deepEqual(received.splice(0), [`GET /page?403&${escaped}  `]);
  }
});
