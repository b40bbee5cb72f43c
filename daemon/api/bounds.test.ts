/** The bounds of requests and connections. The API ends slow requests and refuses excessive ones. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { closeHeader, dial, exchange, jsonHeader, request } from './testing/connection.ts';
import { start, testFolder } from './testing/running-api.ts';

test('limits the size and the number of headers', async (t) => {
  const { port } = await start(t);
  const long = `X: ${'a'.repeat(daemonBounds.apiHeadBytes)}`;
  assert.match(await exchange(t, port, request('GET /ping', [long])), /^HTTP\/1\.1 431 [\s\S]*headers_too_large/);
  assert.match(
    await exchange(t, port, request(`GET /ping?${'a'.repeat(daemonBounds.apiHeadBytes)}`)),
    /^HTTP\/1\.1 431 /,
  );
  const many = (count: number) =>
    exchange(t, port, request('GET /ping', [closeHeader, ...Array(count - 2).fill('X: 1')]));
  assert.match(await many(daemonBounds.apiHeaders), /^HTTP\/1\.1 200 /);
  assert.match(await many(daemonBounds.apiHeaders + 1), /^HTTP\/1\.1 431 /);
  assert.match(await many(200), /^HTTP\/1\.1 431 /);
});

const slow: Readonly<Record<string, string>> = {
  'no bytes': '',
  'an unfinished head': 'GET /ping HTTP/1.1\r\nHost: localhost\r\nX: ',
  'an unfinished body': request('POST /ban', [jsonHeader, 'Content-Length: 20'], '{'),
  'unfinished chunks': request('POST /ban', [jsonHeader, 'Transfer-Encoding: chunked'], '1\r\n{\r\n'),
};

test('ends a request that does not arrive in time', async (t) => {
  const { port } = await start(t, { bounds: { apiHeadMs: 50, apiRequestMs: 100, apiIdleMs: 50 } });
  for (const [name, bytes] of Object.entries(slow))
    assert.match(await exchange(t, port, bytes), /^HTTP\/1\.1 408 [\s\S]*"code":"timeout"/, name);
});

test('a client that drips bytes has the time of the head, and of the request, like a silent one', async (t) => {
  const { port } = await start(t, { bounds: { apiHeadMs: 100, apiRequestMs: 200 } });
  for (const bytes of [slow['an unfinished head'], request('POST /ban', [jsonHeader, 'Content-Length: 20000'])]) {
    const line = dial(t, { port, host: '127.0.0.1' });
    line.socket.write(bytes ?? '');
    const drip = setInterval(() => line.socket.write('x'), 10);
    assert.match(await line.ended(), /^HTTP\/1\.1 408 /);
    clearInterval(drip);
  }
});

test('the head has less time than the whole request', async (t) => {
  const { port } = await start(t, { bounds: { apiHeadMs: 50, apiRequestMs: 600_000 } });
  assert.match(await exchange(t, port, slow['an unfinished head'] ?? ''), /^HTTP\/1\.1 408 /);
});

test('limits the rate of one connection and of all', async (t) => {
  const rate = { perSecond: 0.001, burst: 3 };
  const four = request('GET /ping').repeat(4);
  const withConnectionRate = await start(t, { bounds: { apiConnectionRate: rate } });
  const statuses = async (port: number) => (await exchange(t, port, four)).match(/(?<=HTTP\/1\.1 )\d+/g);
  assert.deepEqual(await statuses(withConnectionRate.port), ['200', '200', '200', '429']);
  assert.match(await exchange(t, withConnectionRate.port, four), /429 Too Many Requests[\s\S]*Retry-After: 1\r\n/);
  const withClientRate = await start(t, { bounds: { apiClientRate: rate } });
  assert.deepEqual(await statuses(withClientRate.port), ['200', '200', '200', '429']);
  assert.deepEqual(await statuses(withClientRate.port), ['429']);
});

test('buffers one response for a client that does not read, and disconnects it', async (t) => {
  let answers = 0;
  const services = () => {
    answers += 1;
    return [{ name: 'x'.repeat(32 * 1024 ** 2), protocol: '', listen: '', upstream: '', enabled: true }];
  };
  const { port } = await start(t, { control: { services }, bounds: { apiStallMs: 300, apiConnections: 1 } });
  const { socket } = dial(t, { port, host: '127.0.0.1' });
  socket.pause().write(request('GET /services').repeat(20));
  await until(() => answers > 0);
  await until(async () => (await exchange(t, port, request('GET /ping', [closeHeader]))) !== '');
  assert.equal(answers, 1);
});

test('limits the requests that wait on a connection', async (t) => {
  const { port } = await start(t, { bounds: { apiPipelined: 3 } });
  const text = await exchange(t, port, request('GET /ping').repeat(5));
  assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '200', '200', '429']);
});

/** Connects a reader of the event stream, whose request stays in progress. */
async function reader(t: TestContext, port: number) {
  const line = dial(t, { port, host: '127.0.0.1' });
  line.socket.write(request('GET /events'));
  await line.until((text) => text.includes('retry:'));
  return line;
}

test('a connection beyond the limit takes the place of the one that has waited longest', async (t) => {
  const { port, control } = await start(t, { bounds: { apiConnections: 3 } });
  const following = await reader(t, port);
  const waiting = ['', 'GET /ping HTTP/1.1\r\nHost:'].map((text) => {
    const line = dial(t, { port, host: '127.0.0.1' });
    line.socket.write(text);
    return line;
  });
  for (let count = 0; count < 300; count += 1) dial(t, { port, host: '127.0.0.1' }).socket.write('GET /health');
  assert.match(await exchange(t, port, request('GET /health', [closeHeader])), /^HTTP\/1\.1 200 /);
  assert.equal(await waiting[0]?.ended(), '');
  assert.equal(await waiting[1]?.ended(), '');
  control.emit({});
  await following.until((text) => text.includes('data: '));
});

test('serves health checks, and only them, while every connection has a request in progress', async (t) => {
  const { port } = await start(t, { bounds: { apiConnections: 2, apiReserved: 1 } });
  await reader(t, port);
  const last = await reader(t, port);
  assert.match(await exchange(t, port, request('GET /health', [closeHeader])), /^HTTP\/1\.1 200 /);
  assert.match(await exchange(t, port, request('GET /ping', [closeHeader])), /pong/);
  assert.match(await exchange(t, port, request('GET /stats', [closeHeader])), /^HTTP\/1\.1 429 [\s\S]*health checks/);
  last.socket.destroy();
  await until(async () => /^HTTP\/1\.1 200 /.test(await exchange(t, port, request('GET /stats', [closeHeader]))));
});

test('serves the Unix socket while every connection over TCP has a request in progress', async (t) => {
  const socket = join(testFolder(), 'api.sock');
  const { port } = await start(t, { api: { socket }, bounds: { apiConnections: 2, apiReserved: 1 } });
  for (let count = 0; count < 2; count += 1) await reader(t, port);
  assert.match(await exchange(t, port, request('GET /stats', [closeHeader])), /^HTTP\/1\.1 429 /);
  const line = dial(t, { path: socket });
  line.socket.write(request('GET /stats', [closeHeader]));
  assert.match(await line.ended(), /^HTTP\/1\.1 200 /);
});
