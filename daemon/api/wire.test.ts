/** The management API as bytes: refuses malformed requests, and ends slow and excessive ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/until.ts';
import { dial, exchange, post, start, testFolder } from './testing.ts';

const request = (line: string, headers: readonly string[] = [], body = ''): string =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n${body}`;

const close = 'Connection: close';
const json = 'Content-Type: application/json';
const ban = '{"ip":"192.0.2.7"}';
const smuggled = request('POST /ban', [json, `Content-Length: ${ban.length}`], ban);

/** Each is two requests to one parser and one to another. The ban inside must not take effect. */
const ambiguous: Readonly<Record<string, string>> = {
  'length and chunks': request(
    'POST /report',
    [json, 'Content-Length: 4', 'Transfer-Encoding: chunked'],
    `0\r\n\r\n${smuggled}`,
  ),
  'chunks and length': request(
    'POST /report',
    [json, 'Transfer-Encoding: chunked', 'Content-Length: 4'],
    `0\r\n\r\n${smuggled}`,
  ),
  'two lengths': request('POST /report', [json, 'Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled),
  'a list of lengths': request('POST /report', [json, `Content-Length: 0, ${smuggled.length}`], smuggled),
  'a signed length': request('POST /report', [json, 'Content-Length: +0'], smuggled),
  'chunked twice': request('POST /report', [json, 'Transfer-Encoding: chunked, identity'], `0\r\n\r\n${smuggled}`),
  'another coding': request('POST /report', [json, 'Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`),
  'a space before the colon': request('POST /report', [json, 'Content-Length : 0'], smuggled),
  'a folded header': request('POST /report', [json, 'X: a', ' Content-Length: 0'], smuggled),
  'a bare line feed': `POST /report HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n${smuggled}`,
  'a bare carriage return': request('POST /report', [json, `X: a\rContent-Length: ${smuggled.length}`], smuggled),
  'a NUL in a header': request('GET /ping', ['X: a\0b'], smuggled),
  'a chunk of negative length': request('POST /report', [json, 'Transfer-Encoding: chunked'], `-1\r\n\r\n${smuggled}`),
  'an invalid version': `GET /ping HTTP/1.9\r\nHost: localhost\r\n\r\n${smuggled}`,
  'an invalid method': request('BREW /ping', [], smuggled),
  TLS: `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${smuggled}`,
};

test('an ambiguous request ends its connection', async (t) => {
  const { port, control } = await start(t);
  for (const [name, bytes] of Object.entries(ambiguous)) {
    const text = await exchange(t, port, bytes);
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"code":"bad_request"/, name);
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, name);
    assert.equal(control.bans.count(), 0, name);
  }
});

const targets = ['http://evil.example/ping', '*', 'ping', 'http://localhost/ping'];

test('refuses a target that is not a path', async (t) => {
  const { port } = await start(t);
  for (const target of targets)
    assert.match(await exchange(t, port, request(`OPTIONS ${target}`, [close])), /^HTTP\/1\.1 400 /, target);
  assert.match(await exchange(t, port, request('CONNECT localhost:22')), /^HTTP\/1\.1 400 /);
  for (const path of ['/ping/', '//ping', '/api', '/api/api/ping', '/%70ing', '/ping;x', '/PING', '/../ping'])
    assert.match(await exchange(t, port, request(`GET ${path}`, [close])), /^HTTP\/1\.1 404 /, path);
});

test('refuses a request without Host and an unknown expectation like every other error', async (t) => {
  const { port, control } = await start(t);
  const expecting = (what: string) =>
    request('POST /ban', [json, `Expect: ${what}`, `Content-Length: ${ban.length}`, close], ban);
  const refused = {
    'HTTP/1.1 400 Bad Request bad_request': `GET /ping HTTP/1.1\r\n${close}\r\n\r\n`,
    'HTTP/1.1 417 Expectation Failed expectation_failed': expecting('200-ok'),
  };
  for (const [expected, bytes] of Object.entries(refused)) {
    const text = await exchange(t, port, bytes);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    assert.equal(`${head.split('\r\n')[0]} ${JSON.parse(body).error.code}`, expected);
    assert.match(head, /^Cache-Control: no-store\r$/m);
  }
  assert.equal(control.bans.count(), 0);
  assert.match(await exchange(t, port, expecting('100-Continue')), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  assert.match(await exchange(t, port, 'GET /ping HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 403 [\s\S]*forbidden_host/);
});

test('the response to a wrong method lists the allowed ones', async (t) => {
  const { url } = await start(t);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'QUERY']) {
    const response = await fetch(`${url}/stats`, { method });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD'], method);
  }
  const response = await fetch(`${url}/api/ban`);
  assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
});

test('HEAD returns the headers of GET without a body', async (t) => {
  const { port } = await start(t);
  for (const path of ['/services', '/openapi.json', '/metrics']) {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => exchange(t, port, request(`${method} ${path}`, [close]))),
    );
    const ofGet = get?.slice(0, get.indexOf('\r\n\r\n') + 4);
    assert.equal(head?.replace(/Date: .*/, ''), ofGet?.replace(/Date: .*/, ''), path);
  }
  assert.match(
    await exchange(t, port, request('HEAD /events', [close])),
    /200 OK[\s\S]*text\/event-stream[\s\S]*\r\n\r\n$/,
  );
});

test('pipelined requests get their responses in order', async (t) => {
  const { port, control } = await start(t);
  const list = request('GET /banlist');
  const text = await exchange(
    t,
    port,
    list + smuggled + list + request('GET /nothing') + request('GET /ping', [close]),
  );
  assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '201', '200', '404', '200']);
  assert.deepEqual(text.match(/(?<="bans":\[)./g), [']', '{']);
  assert.equal(control.bans.count(), 1);
});

test('checks the type and the size of a body, and whether one is allowed', async (t) => {
  const { url, port } = await start(t);
  const status = async (body: string, type: string) =>
    (await post(`${url}/ban`, body, { 'Content-Type': type })).status;
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'text/json',
    '',
    'application/json; charset=latin1',
  ])
    assert.equal(await status(ban, type), 415, type);
  for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
    assert.equal(await status(ban, type), 201, type);
  const { status: encoded } = await post(`${url}/ban`, ban, { 'Content-Encoding': 'gzip' });
  assert.equal(encoded, 415);
  const padded = ban + ' '.repeat(daemonBounds.apiBodyBytes - ban.length);
  assert.equal((await post(`${url}/ban`, padded)).status, 201);
  assert.equal((await post(`${url}/ban`, `${padded} `)).status, 413);
  const chunks = request('POST /ban', [json, 'Transfer-Encoding: chunked'], `10001\r\n${padded} \r\n0\r\n\r\n`);
  assert.match(
    await exchange(t, port, chunks + request('GET /ping', [close])),
    /^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200/,
  );
  assert.match(await exchange(t, port, request('GET /ping', [close, 'Content-Length: 2'], '{}')), /^HTTP\/1\.1 413 /);
});

test('limits the size and the number of headers', async (t) => {
  const { port } = await start(t);
  const long = `X: ${'a'.repeat(daemonBounds.apiHeadBytes)}`;
  assert.match(await exchange(t, port, request('GET /ping', [long])), /^HTTP\/1\.1 431 [\s\S]*headers_too_large/);
  assert.match(
    await exchange(t, port, request(`GET /ping?${'a'.repeat(daemonBounds.apiHeadBytes)}`)),
    /^HTTP\/1\.1 431 /,
  );
  const many = (count: number) => exchange(t, port, request('GET /ping', [close, ...Array(count - 2).fill('X: 1')]));
  assert.match(await many(daemonBounds.apiHeaders), /^HTTP\/1\.1 200 /);
  assert.match(await many(daemonBounds.apiHeaders + 1), /^HTTP\/1\.1 431 /);
  assert.match(await many(200), /^HTTP\/1\.1 431 /);
});

const slow: Readonly<Record<string, string>> = {
  'no bytes': '',
  'an unfinished head': 'GET /ping HTTP/1.1\r\nHost: localhost\r\nX: ',
  'an unfinished body': request('POST /ban', [json, 'Content-Length: 20'], '{'),
  'unfinished chunks': request('POST /ban', [json, 'Transfer-Encoding: chunked'], '1\r\n{\r\n'),
};

test('ends a request that does not arrive in time', async (t) => {
  const { port } = await start(t, { bounds: { apiHeadMs: 50, apiRequestMs: 100, apiIdleMs: 50 } });
  for (const [name, bytes] of Object.entries(slow))
    assert.match(await exchange(t, port, bytes), /^HTTP\/1\.1 408 [\s\S]*"code":"timeout"/, name);
});

test('a client that drips bytes has the time of the head, and of the request, like a silent one', async (t) => {
  const { port } = await start(t, { bounds: { apiHeadMs: 100, apiRequestMs: 200 } });
  for (const bytes of [slow['an unfinished head'], request('POST /ban', [json, 'Content-Length: 20000'])]) {
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
  const ofOne = await start(t, { bounds: { apiConnectionRate: rate } });
  const statuses = async (port: number) => (await exchange(t, port, four)).match(/(?<=HTTP\/1\.1 )\d+/g);
  assert.deepEqual(await statuses(ofOne.port), ['200', '200', '200', '429']);
  assert.match(await exchange(t, ofOne.port, four), /429 Too Many Requests[\s\S]*Retry-After: 1\r\n/);
  const ofAll = await start(t, { bounds: { apiTotalRate: rate } });
  assert.deepEqual(await statuses(ofAll.port), ['200', '200', '200', '429']);
  assert.deepEqual(await statuses(ofAll.port), ['429']);
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
  await until(async () => (await exchange(t, port, request('GET /ping', [close]))) !== '');
  assert.equal(answers, 1);
});

test('limits the requests that wait on a connection', async (t) => {
  const { port } = await start(t, { bounds: { apiPipelined: 3 } });
  const text = await exchange(t, port, request('GET /ping').repeat(5));
  assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '200', '200', '429']);
});

/** A reader of events: a connection whose request is in progress. */
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
  assert.match(await exchange(t, port, request('GET /health', [close])), /^HTTP\/1\.1 200 /);
  assert.equal(await waiting[0]?.ended(), '');
  assert.equal(await waiting[1]?.ended(), '');
  control.emit({});
  await following.until((text) => text.includes('data: '));
});

test('serves health checks, and only them, while every connection has a request in progress', async (t) => {
  const { port } = await start(t, { bounds: { apiConnections: 2, apiReserved: 1 } });
  await reader(t, port);
  const last = await reader(t, port);
  assert.match(await exchange(t, port, request('GET /health', [close])), /^HTTP\/1\.1 200 /);
  assert.match(await exchange(t, port, request('GET /ping', [close])), /pong/);
  assert.match(await exchange(t, port, request('GET /stats', [close])), /^HTTP\/1\.1 429 [\s\S]*health checks/);
  last.socket.destroy();
  await until(async () => /^HTTP\/1\.1 200 /.test(await exchange(t, port, request('GET /stats', [close]))));
});

test('serves the Unix socket while every connection over TCP has a request in progress', async (t) => {
  const socket = join(testFolder(), 'api.sock');
  const { port } = await start(t, { api: { socket }, bounds: { apiConnections: 2, apiReserved: 1 } });
  for (let count = 0; count < 2; count += 1) await reader(t, port);
  assert.match(await exchange(t, port, request('GET /stats', [close])), /^HTTP\/1\.1 429 /);
  const line = dial(t, { path: socket });
  line.socket.write(request('GET /stats', [close]));
  assert.match(await line.ended(), /^HTTP\/1\.1 200 /);
});

const tunnel = request('CONNECT localhost:22');

test('a client that sends CONNECT and resets has no effect on others', async (t) => {
  const { port } = await start(t);
  for (let count = 0; count < 20; count += 1) {
    const { socket } = dial(t, { port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write(tunnel);
    socket.resetAndDestroy();
  }
  assert.match(await exchange(t, port, request('GET /ping', [close])), /pong/);
});

test('disconnects a client that sends CONNECT and stays', async (t) => {
  const { port } = await start(t, { bounds: { apiHeadMs: 1000, apiRequestMs: 1000, apiConnections: 1 } });
  const staying = dial(t, { port, host: '127.0.0.1', allowHalfOpen: true });
  staying.socket.write(tunnel);
  assert.match(await staying.until((text) => text.includes('bad_request')), /^HTTP\/1\.1 400 /);
  await until(async () => (await exchange(t, port, request('GET /ping', [close]))) !== '');
});

test('close does not wait for a client that sends CONNECT and stays', async (t) => {
  const { port, api } = await start(t, { bounds: { apiRequestMs: 3_600_000 } });
  const staying = dial(t, { port, host: '127.0.0.1', allowHalfOpen: true });
  staying.socket.write(tunnel);
  assert.match(await staying.until((text) => text.includes('bad_request')), /^HTTP\/1\.1 400 /);
  await api.close();
  assert.equal(await exchange(t, port, request('GET /ping', [close])), '');
});
