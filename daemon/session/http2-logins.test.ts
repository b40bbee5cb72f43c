/** Guesses in HTTP/2 without TLS, of real clients at a real server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { guardedService, received, start, startUpstream } from '../testing/daemon.ts';

const client = { localAddress: '127.0.0.7' }; // 127.0.0.1 is exempt as an address of this host
const banAfter = 5;
/** Two more than `banAfter` of an address, and one more of a connection. */
const mostJudged = banAfter + 3;

const basic = (password: string): string => `Basic ${Buffer.from(`u:${password}`).toString('base64')}`;

/** A server that accepts one password, and answers with the length of the body. */
async function http2Server(t: TestContext) {
  const judged: string[] = [];
  const server = createServer();
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream, { authorization }: IncomingHttpHeaders) => {
    stream.on('error', () => {});
    if (authorization !== undefined) judged.push(authorization);
    if (authorization === basic('right'))
      buffer(stream).then(
        ({ length }) => {
          stream.respond({ ':status': 200, 'x-unindexed': String(length) });
          stream.end(Buffer.alloc(length, 'x'));
        },
        () => {},
      );
    else {
      stream.respond({
        ':status': authorization?.startsWith('Bearer') ? 403 : 401,
        'www-authenticate': 'Basic realm=a',
      });
      stream.resume().end('no');
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return { judged, port: (server.address() as AddressInfo).port };
}

async function guarded(t: TestContext, workers = 1) {
  const { judged, port } = await http2Server(t);
  const services = { web: guardedService(port, { protocol: 'http' as const }) };
  const daemon = await start(t, { global: { workers, ban_after_failures: banAfter }, services });
  const open = (): ClientHttp2Session => {
    const session = connect('http://web.example', { createConnection: () => daemon.dial('web', client) as Socket });
    t.after(() => session.destroy());
    return session.on('error', () => {});
  };
  return { ...daemon, judged, open };
}

/** Resolves with the status and the length of the response. Undefined when the connection has ended. */
async function request(session: ClientHttp2Session, authorization: string | undefined, body = Buffer.alloc(0)) {
  try {
    const stream = session.request({ ':path': '/', ':method': 'POST', ...(authorization && { authorization }) });
    stream.on('error', () => {}).end(body);
    const [headers] = await once(stream, 'response');
    return [headers[':status'], (await buffer(stream)).length];
  } catch {
    return undefined;
  }
}

for (const workers of [1, 2])
  test(`bans a client that guesses on streams of one connection, with workers: ${workers}`, async (t) => {
    const { open, judged, event, events } = await guarded(t, workers);
    const session = open();
    for (let guess = 0; guess < 90; guess += 1) void request(session, basic(`guess-${guess}`));
    await event(({ action }) => action === 'banned');
    await until(() => session.destroyed);
    assert.ok(judged.length >= banAfter && judged.length <= mostJudged, `${judged.length} guesses were judged`);
    assert.equal(events.filter(({ action }) => action === 'banned').length, 1);
  });

test('serves parallel requests with bodies, with accepted credentials, with tokens and without credentials', async (t) => {
  const { open, events } = await guarded(t);
  const session = open();
  const body = Buffer.alloc(300_000, 'x');
  for (let round = 0; round < 3; round += 1) {
    const requests = [basic('right'), basic('right'), undefined, 'Bearer expired', basic('right')];
    const responses = await Promise.all(requests.map((authorization) => request(session, authorization, body)));
    assert.deepEqual(responses, [
      [200, 300_000],
      [200, 300_000],
      [401, 2],
      [403, 2],
      [200, 300_000],
    ]);
  }
  session.destroy();
  await until(() => events.some(({ action }) => action === 'allowed'));
  assert.deepEqual(
    events.filter(({ action }) => action !== 'allowed').map(({ action, reason }) => [action, reason]),
    [],
  );
  assert.equal(events.find(({ action }) => action === 'allowed')?.facts?.host, 'web.example');
});

/** A server that accepts passwords that start with `right`, and leaves requests for `/slow` without a response until `/go`. */
async function slowServer(t: TestContext, options: ServerOptions = {}) {
  const server = createServer(options);
  const slow: ServerHttp2Stream[] = [];
  const judged: (string | undefined)[] = [];
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream, { authorization, ':path': path }: IncomingHttpHeaders) => {
    stream.on('error', () => {});
    judged.push(authorization);
    const isRight = Buffer.from(authorization?.slice(6) ?? '', 'base64')
      .toString()
      .startsWith('u:right');
    const respond = (one: ServerHttp2Stream) => {
      if (one.closed) return;
      one.respond({ ':status': isRight ? 200 : 401 });
      one.end();
    };
    if (path === '/slow') slow.push(stream);
    else if (path === '/body') stream.resume().on('end', () => respond(stream));
    else for (const one of [stream, ...slow.splice(0)]) respond(one);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const services = { web: guardedService(port, { protocol: 'http' as const }) };
  const daemon = await start(t, { global: { ban_after_failures: banAfter }, services });
  const session = connect('http://web.example', { createConnection: () => daemon.dial('web', client) as Socket });
  t.after(() => session.destroy());
  await once(session, 'remoteSettings');
  session.on('error', () => {});
  const send = (path: string, password: string) => {
    const stream = session.request({ ':path': path, ':method': 'POST', authorization: basic(password) });
    stream.on('error', () => {});
    const status = once(stream, 'response').then(
      ([headers]) => headers[':status'],
      () => undefined,
    );
    return { stream, status };
  };
  return { ...daemon, session, send, judged };
}

test('serves requests with the same password while the first one waits for its response', async (t) => {
  const { send, session } = await slowServer(t);
  const first = send('/slow', 'right');
  first.stream.end();
  await new Promise((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve(undefined))));
  const second = send('/go', 'right');
  second.stream.end();
  assert.deepEqual(await Promise.all([first.status, second.status]), [200, 200]);
});

test('serves mixed bodies of two users', async (t) => {
  const { send } = await slowServer(t);
  const [first, second] = [send('/body', 'right-1'), send('/body', 'right-2')];
  first.stream.write('a');
  second.stream.write('b');
  await new Promise(setImmediate);
  first.stream.end('a');
  second.stream.end('b');
  assert.deepEqual(await Promise.all([first.status, second.status]), [200, 200]);
});

test('serves another user after a reset of a request that has no response', async (t) => {
  const { send, judged } = await slowServer(t);
  const { stream } = send('/slow', 'right-1');
  stream.end();
  await until(() => judged.length === 1);
  stream.close();
  const { stream: next, status } = send('/body', 'right-2');
  next.end();
  assert.equal(await status, 200);
});

test('bans a client that resets its guesses before the response', async (t) => {
  const { send, judged, event, session } = await slowServer(t);
  for (let guess = 1; guess <= 30 && !session.destroyed; guess += 1) {
    const { stream } = send('/slow', `guess-${guess}`);
    await until(() => session.destroyed || judged.length === guess);
    stream.close();
  }
  await event(({ action }) => action === 'banned');
  assert.ok(judged.length >= banAfter && judged.length <= mostJudged, `${judged.length} guesses were judged`);
});

test('serves more streams of an accepted password than it follows, and 1000 headers', async (t) => {
  const options = { maxHeaderListPairs: 2000, settings: { maxConcurrentStreams: 2000 } };
  const { send, session } = await slowServer(t, options);
  const first = send('/go', 'right');
  first.stream.end();
  assert.equal(await first.status, 200);
  for (let count = 0; count <= daemonBounds.commandsInFlight; count += 1) send('/slow', 'right').stream.end();
  const headers = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x-${index}`, 'v']));
  const [{ ':status': status }] = await once(session.request({ ':path': '/go', ...headers }), 'response');
  assert.equal(status, 401);
});

test('ends the connection when the server answers the preface in HTTP/1', async (t) => {
  const { port } = await startUpstream(
    t,
    (socket) => void socket.once('data', () => socket.write('HTTP/1.1 400 Bad\r\n\r\n')),
  );
  const { dial, event } = await start(t, { services: { web: guardedService(port, { protocol: 'http' }) } });
  const socket = dial('web', client);
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  await received(socket);
  await event(({ reason }) => reason === 'frame');
});
