/** The management API as bytes: refused requests, and the order and heads of responses. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { closeHeader, dial, exchange, jsonHeader, request } from './testing/connection.ts';
import { post, start } from './testing/running-api.ts';

const ban = '{"ip":"192.0.2.7"}';
const smuggled = request('POST /ban', [jsonHeader, `Content-Length: ${ban.length}`], ban);

/** Requests that one parser reads as two requests and another as one. The ban inside must not take effect. */
const ambiguous: Readonly<Record<string, string>> = {
  'length and chunks': request(
    'POST /report',
    [jsonHeader, 'Content-Length: 4', 'Transfer-Encoding: chunked'],
    `0\r\n\r\n${smuggled}`,
  ),
  'chunks and length': request(
    'POST /report',
    [jsonHeader, 'Transfer-Encoding: chunked', 'Content-Length: 4'],
    `0\r\n\r\n${smuggled}`,
  ),
  'two lengths': request(
    'POST /report',
    [jsonHeader, 'Content-Length: 0', `Content-Length: ${smuggled.length}`],
    smuggled,
  ),
  'a list of lengths': request('POST /report', [jsonHeader, `Content-Length: 0, ${smuggled.length}`], smuggled),
  'a signed length': request('POST /report', [jsonHeader, 'Content-Length: +0'], smuggled),
  'chunked twice': request(
    'POST /report',
    [jsonHeader, 'Transfer-Encoding: chunked, identity'],
    `0\r\n\r\n${smuggled}`,
  ),
  'another coding': request('POST /report', [jsonHeader, 'Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`),
  'a space before the colon': request('POST /report', [jsonHeader, 'Content-Length : 0'], smuggled),
  'a folded header': request('POST /report', [jsonHeader, 'X: a', ' Content-Length: 0'], smuggled),
  'a bare line feed': `POST /report HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n${smuggled}`,
  'a bare carriage return': request('POST /report', [jsonHeader, `X: a\rContent-Length: ${smuggled.length}`], smuggled),
  'a NUL in a header': request('GET /ping', ['X: a\0b'], smuggled),
  'a chunk of negative length': request(
    'POST /report',
    [jsonHeader, 'Transfer-Encoding: chunked'],
    `-1\r\n\r\n${smuggled}`,
  ),
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
    assert.match(await exchange(t, port, request(`OPTIONS ${target}`, [closeHeader])), /^HTTP\/1\.1 400 /, target);
  assert.match(await exchange(t, port, request('CONNECT localhost:22')), /^HTTP\/1\.1 400 /);
  for (const path of ['/ping/', '//ping', '/api', '/api/api/ping', '/%70ing', '/ping;x', '/PING', '/../ping'])
    assert.match(await exchange(t, port, request(`GET ${path}`, [closeHeader])), /^HTTP\/1\.1 404 /, path);
});

test('refuses a request without Host and an unknown expectation like every other error', async (t) => {
  const { port, control } = await start(t);
  const expecting = (what: string) =>
    request('POST /ban', [jsonHeader, `Expect: ${what}`, `Content-Length: ${ban.length}`, closeHeader], ban);
  const refused = {
    'HTTP/1.1 400 Bad Request bad_request': `GET /ping HTTP/1.1\r\n${closeHeader}\r\n\r\n`,
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
      ['HEAD', 'GET'].map((method) => exchange(t, port, request(`${method} ${path}`, [closeHeader]))),
    );
    const ofGet = get?.slice(0, get.indexOf('\r\n\r\n') + 4);
    assert.equal(head?.replace(/Date: .*/, ''), ofGet?.replace(/Date: .*/, ''), path);
  }
  assert.match(
    await exchange(t, port, request('HEAD /events', [closeHeader])),
    /200 OK[\s\S]*text\/event-stream[\s\S]*\r\n\r\n$/,
  );
});

test('pipelined requests get their responses in order', async (t) => {
  const { port, control } = await start(t);
  const list = request('GET /banlist');
  const text = await exchange(
    t,
    port,
    list + smuggled + list + request('GET /nothing') + request('GET /ping', [closeHeader]),
  );
  assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '201', '200', '404', '200']);
  assert.deepEqual(text.match(/(?<="bans":\[)./g), [']', '{']);
  assert.equal(control.bans.count(), 1);
});

test('responds to the requests before an invalid one, and then closes', async (t) => {
  const chunked = 'POST /ban HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz';
  const heads = ['BREW', '\x16\x03', 'CONNECT x:1 HTTP/1.1\r\n\r\n', 'GET /ping HTTP/1.1\r\nX : a\r\n'];
  for (const invalid of [...heads, chunked]) {
    const { port, control } = await start(t);
    const text = await exchange(t, port, `${request('GET /services')}${smuggled}${invalid}\r\n\r\n`);
    assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+/g), ['200', '201'], invalid);
    assert.match(text, /"ip":"192\.0\.2\.7"[^{]*$/, invalid);
    assert.equal(control.bans.count(), 1);
  }
});

test('refuses an invalid request behind a response that was sent', async (t) => {
  const { port } = await start(t);
  const line = dial(t, { port, host: '127.0.0.1' });
  line.socket.write(request('GET /ping'));
  await line.until((text) => text.includes('pong'));
  line.socket.write('BREW\r\n\r\n');
  assert.match(await line.ended(), /pong\nHTTP\/1\.1 400 /);
});

test('writes no refusal into the stream of events', async (t) => {
  const { port } = await start(t);
  const line = dial(t, { port, host: '127.0.0.1' });
  line.socket.write(request('GET /events'));
  await line.until((text) => text.includes('retry: '));
  line.socket.write('BREW\r\n\r\n');
  assert.deepEqual((await line.ended()).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200']);
});

test('sends no second response to a body that is refused and then invalid', async (t) => {
  const { port } = await start(t);
  const line = dial(t, { port, host: '127.0.0.1' });
  line.socket.write(request('POST /ban', ['Content-Type: text/plain', 'Transfer-Encoding: chunked'], '1\r\n'));
  await line.until((text) => text.includes('unsupported_media_type'));
  line.socket.write('{}not a chunk');
  assert.deepEqual((await line.ended()).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 415']);
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
  const chunks = request('POST /ban', [jsonHeader, 'Transfer-Encoding: chunked'], `10001\r\n${padded} \r\n0\r\n\r\n`);
  assert.match(
    await exchange(t, port, chunks + request('GET /ping', [closeHeader])),
    /^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200/,
  );
  assert.match(
    await exchange(t, port, request('GET /ping', [closeHeader, 'Content-Length: 2'], '{}')),
    /^HTTP\/1\.1 413 /,
  );
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
  assert.match(await exchange(t, port, request('GET /ping', [closeHeader])), /pong/);
});

test('disconnects a client that sends CONNECT and stays', async (t) => {
  const { port } = await start(t, { bounds: { apiHeadMs: 1000, apiRequestMs: 1000, apiConnections: 1 } });
  const staying = dial(t, { port, host: '127.0.0.1', allowHalfOpen: true });
  staying.socket.write(tunnel);
  assert.match(await staying.until((text) => text.includes('bad_request')), /^HTTP\/1\.1 400 /);
  await until(async () => (await exchange(t, port, request('GET /ping', [closeHeader]))) !== '');
});

test('close does not wait for a client that sends CONNECT and stays', async (t) => {
  const { port, api } = await start(t, { bounds: { apiRequestMs: 3_600_000 } });
  const staying = dial(t, { port, host: '127.0.0.1', allowHalfOpen: true });
  staying.socket.write(tunnel);
  assert.match(await staying.until((text) => text.includes('bad_request')), /^HTTP\/1\.1 400 /);
  await api.close();
  assert.equal(await exchange(t, port, request('GET /ping', [closeHeader])), '');
});
