/** Outcomes of logins in HTTP/2 without TLS: of gRPC, of long responses, and of proxies that send many users' requests. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { guardedService, start } from '../testing/daemon.ts';

const client = { localAddress: '127.0.0.7' }; // 127.0.0.1 is exempt as an address of this host
const banAfter = 5;
const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

type Respond = (stream: ServerHttp2Stream, isRight: boolean, headers: IncomingHttpHeaders) => void;

/** A guarded server that accepts the password `right`, and one connection to it. */
async function guarded(t: TestContext, respond: Respond) {
  const server = createServer({ maxSendHeaderBlockLength: 2 ** 21 });
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {}).resume();
    const credentials = Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    respond(stream, credentials.endsWith(':right'), headers);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const services = { web: guardedService(port, { protocol: 'http' as const }) };
  const daemon = await start(t, { global: { ban_after_failures: banAfter }, services });
  const createConnection = () => daemon.dial('web', client) as Socket;
  const session = connect('http://web.example', { createConnection, settings: { maxHeaderListSize: 2 ** 21 } });
  t.after(() => session.destroy());
  session.on('error', () => {});
  return { ...daemon, session };
}

/** Sends a request. Resolves with the status of its response when the stream is closed, or undefined without one. */
function request(session: ClientHttp2Session, authorization: string, path = '/'): Promise<number | undefined> {
  if (session.destroyed) return Promise.resolve(undefined);
  const stream = session.request({ ':path': path, ':method': 'POST', authorization });
  let status: number | undefined;
  stream.on('response', (headers) => {
    status = headers[':status'];
  });
  stream
    .on('error', () => {})
    .resume()
    .end();
  return new Promise((resolve) => stream.on('close', () => resolve(status)));
}

const grpc = { ':status': 200, 'content-type': 'application/grpc+proto' };

/** How servers of gRPC refuse a call. */
const refusals: Readonly<Record<string, (stream: ServerHttp2Stream, code: string) => void>> = {
  'in headers alone': (stream, code) => stream.respond({ ...grpc, 'grpc-status': code }, { endStream: true }),
  'in trailers': (stream, code) => {
    stream.respond(grpc, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': code }));
    stream.end();
  },
};

for (const [how, refuse] of Object.entries(refusals)) {
  test(`bans a client whose calls of gRPC are unauthenticated ${how}`, async (t) => {
    const { session, event, events } = await guarded(t, (stream) => refuse(stream, '16'));
    for (let guess = 0; guess < 30 && !session.destroyed; guess += 1)
      await request(session, basic('u', `guess-${guess}`));
    await event(({ action }) => action === 'banned');
    assert.equal(events.filter(({ reason }) => reason === 'auth_success').length, 0);
  });

  test(`counts no call of gRPC that fails for another reason ${how}`, async (t) => {
    const { session, events } = await guarded(t, (stream) => refuse(stream, '7'));
    for (let call = 0; call < 2 * banAfter; call += 1)
      assert.equal(await request(session, basic('u', `right-${call}`)), 200);
    session.destroy();
    await until(() => events.some(({ action }) => action === 'allowed'));
    assert.deepEqual(
      events.filter(({ action }) => action !== 'allowed'),
      [],
    );
  });
}

test('serves a client behind a call of gRPC without an end', async (t) => {
  const { session } = await guarded(t, (stream, _isRight, { ':path': path }) => {
    stream.respond(grpc);
    if (path !== '/watch') stream.end('message');
  });
  void request(session, basic('one', 'right'), '/watch');
  assert.equal(await request(session, basic('two', 'right')), 200);
});

/** Headers of together at least as many bytes. */
const longHeaders = (bytes: number): OutgoingHttpHeaders =>
  Object.fromEntries(Array.from({ length: bytes / 8192 }, (_, index) => [`x-long-${index}`, 'v'.repeat(8192)]));

test('relays response heads that browsers accept, and counts logins behind them', async (t) => {
  const bytes = 2 * daemonBounds.http2HeadBytes - 2 * 8192; // Node accepts no more than nine frames of 16 KiB
  const { session, event } = await guarded(t, (stream, isRight) => {
    stream.respond({ ':status': isRight ? 200 : 401, ...longHeaders(bytes) }, { endStream: true });
  });
  assert.equal(await request(session, basic('u', 'right')), 200);
  for (let guess = 0; guess < 30 && !session.destroyed; guess += 1)
    await request(session, basic('u', `guess-${guess}`));
  await event(({ action }) => action === 'banned');
});

test('serves the users of a proxy on one connection while one of them waits for a response', async (t) => {
  let waiting = 0;
  const { session, events } = await guarded(t, (stream, isRight, { ':path': path }) => {
    if (path === '/wait') waiting += 1;
    else stream.respond({ ':status': isRight ? 200 : 401 }, { endStream: true });
  });
  const users = ['one', 'two', 'three'].map((user) => basic(user, 'right'));
  for (const user of users) assert.equal(await request(session, user), 200);
  void request(session, basic('one', 'right'), '/wait');
  await until(() => waiting === 1);
  for (const user of [basic('two', 'right'), basic('four', 'right'), ...users])
    assert.equal(await request(session, user), 200);
  assert.deepEqual(
    events.filter(({ action }) => action === 'banned'),
    [],
  );
});

test('counts the guesses among the requests of accepted users', async (t) => {
  const { session, event } = await guarded(t, (stream, isRight) =>
    stream.respond({ ':status': isRight ? 200 : 401 }, { endStream: true }),
  );
  for (let guess = 0; guess < 30 && !session.destroyed; guess += 1) {
    await request(session, basic('one', 'right'));
    await request(session, basic('two', `guess-${guess}`));
  }
  await event(({ action }) => action === 'banned');
});
