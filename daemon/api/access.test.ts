/** Access control of the API over TCP. */
import assert from 'node:assert/strict';
import { type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { exchange } from './testing/connection.ts';
import { post, type Running, start, testConfig, testFolder } from './testing/running-api.ts';

const token = 'a-token-of-some-length';

type Headers = Readonly<Record<string, string>>;

/** Sends a request with exactly these headers, where `fetch` would add others. Returns the status. */
function send(
  { port }: Running,
  headers: Headers,
  path = '/stats',
  method = 'GET',
  options: RequestOptions = {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, ...options }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

const hosts: Readonly<Record<string, number>> = {
  localhost: 200,
  'LOCALHOST:80': 200,
  '127.0.0.1:9091': 200,
  '[::1]:9091': 200,
  '[0:0:0:0:0:0:0:1]': 200,
  'guard.example': 200,
  'a.inner.example:1': 200,
  'inner.example': 403,
  'xinner.example': 403,
  'localhost.': 403,
  'localhost.evil.example': 403,
  'evil.example': 403,
  '127.0.0.2': 403,
  'localhost:1:2': 403,
  'me@localhost': 403,
  '::1': 403,
};

describe('the Host header', () => {
  for (const [host, status] of Object.entries(hosts))
    it(`${JSON.stringify(host)} gets status ${status}`, async (t) => {
      const allowed_hosts = ['localhost', '127.0.0.1', '[::1]', 'guard.example', '*.inner.example'];
      const running = await start(t, { api: { allowed_hosts } });
      assert.equal(await send(running, { Host: host }), status);
      assert.equal(await send(running, { Host: host }, '/ping'), status);
    });

  it('is refused when it is missing, empty or repeated', async (t) => {
    const { port } = await start(t);
    const get = (hosts: string) => exchange(t, port, `GET /ping HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    assert.match(await get(''), /^HTTP\/1.1 400 /);
    assert.match(await get('Host:\r\n'), /^HTTP\/1.1 403 /);
    assert.match(await get('Host: localhost\r\nHost: evil.example\r\n'), /^HTTP\/1.1 400 [\s\S]*bad_request/);
    assert.match(await get('Host: localhost\r\n'), /^HTTP\/1.1 200 /);
  });
});

const host = { Host: 'localhost:9091' };
const origins: readonly [Headers, number][] = [
  [{ Origin: 'http://localhost:9091' }, 200],
  [{ Origin: 'https://localhost:9091' }, 200],
  [{ Origin: 'http://localhost:3000' }, 403],
  [{ Origin: 'http://evil.example' }, 403],
  [{ Origin: 'null' }, 403],
  [{ Origin: '' }, 403],
  [{ 'Sec-Fetch-Site': 'none' }, 200],
  [{ 'Sec-Fetch-Site': 'same-origin' }, 200],
  [{ 'Sec-Fetch-Site': 'same-site' }, 403],
  [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
];

test('refuses pages of other origins on every method and path', async (t) => {
  const running = await start(t);
  for (const [headers, status] of origins) {
    assert.equal(await send(running, { ...host, ...headers }), status, JSON.stringify(headers));
    const other = status === 200 ? 405 : 403;
    assert.equal(await send(running, { ...host, ...headers }, '/ban', 'DELETE'), other, JSON.stringify(headers));
    assert.equal(await send(running, { ...host, ...headers }, '/ping'), status, JSON.stringify(headers));
  }
});

test('a configured token is required everywhere; /health and /ping return their status without it', async (t) => {
  const running = await start(t, { api: { auth_token: token }, control: { problems: () => ['ill'] } });
  const { url } = running;
  const health = await fetch(`${url}/api/health`);
  assert.deepEqual([health.status, await health.json()], [200, { status: 'degraded' }]);
  assert.equal(await (await fetch(`${url}/ping`)).text(), 'pong\n');
  for (const path of ['/stats', '/events', '/openapi.json', '/nothing', '/ban']) {
    const response = await fetch(url + path);
    assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, 'Bearer'], path);
  }
  assert.equal((await post(`${url}/ban`, { ip: '192.0.2.1' })).status, 401);
  for (const wrong of [`Bearer ${token}x`, `Basic ${token}`, token, 'Bearer', 'Bearer ', `Bearer ${token} ${token}`])
    assert.equal((await fetch(`${url}/stats`, { headers: { Authorization: wrong } })).status, 401, wrong);
  for (const right of [`Bearer ${token}`, `bearer ${token}`]) {
    const headers = { Authorization: right };
    assert.equal((await fetch(`${url}/stats`, { headers })).status, 200);
    assert.match(await (await fetch(`${url}/health`, { headers })).text(), /"version"/);
  }
});

test('requests without the token do not consume the rate of requests with it, of the socket, or of other addresses', async (t) => {
  const socketPath = join(testFolder(), 'api.sock');
  const api = { auth_token: token, socket: socketPath };
  const running = await start(t, { api, bounds: { apiClientRate: { perSecond: 0.001, burst: 3 } } });
  const ping = (options: RequestOptions) => send(running, host, '/ping', 'GET', options);
  const flood = [];
  while (flood.length < 4) flood.push(await ping({}));
  assert.deepEqual(flood, [200, 200, 200, 429]);
  assert.equal(await send(running, { ...host, Origin: 'http://evil.example', Authorization: `Bearer ${token}` }), 429);
  assert.equal(await send(running, { ...host, Authorization: `Bearer ${token}` }), 200);
  assert.equal(await ping({ localAddress: '127.0.0.2' }), 200);
  assert.equal(await ping({ socketPath }), 200);
});

test('a reload applies a new token and new hosts', async (t) => {
  const { api, url } = await start(t);
  assert.equal((await fetch(`${url}/stats`)).status, 200);
  api.reconfigure(testConfig({ auth_token: token }));
  assert.equal((await fetch(`${url}/stats`)).status, 401);
  api.reconfigure(testConfig({ allowed_hosts: ['guard.example'] }));
  assert.equal((await fetch(`${url}/stats`)).status, 403);
});
