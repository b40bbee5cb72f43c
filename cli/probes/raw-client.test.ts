import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openConnection } from './raw-client.ts';

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/**
 * Returns a connection to a server, and the bytes that the server received. The server handles the n-th connection with
 * the n-th handler, and further connections with the last one.
 */
async function served(t: TestContext, ...handlers: ((socket: Socket, text: string) => void)[]) {
  const received: string[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    const handler = handlers[Math.min(connections++, handlers.length - 1)];
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received.push(chunk.toString('latin1'));
      handler?.(socket, chunk.toString('latin1'));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = openConnection({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  t.after(() => {
    connection.close();
    server.close();
  });
  const get = (fresh = false, count = 1) =>
    connection.send(
      { bytes: Buffer.from('GET /\xe9\\ HTTP/1.1\r\n\r\n', 'latin1'), awaited: Array(count).fill({ method: 'GET' }) },
      fresh,
    );
  return { get, received, connection, connections: () => connections };
}

test('sends bytes unchanged and keeps connections open', async (t) => {
  const { get, received, connections } = await served(t, (socket) => socket.write(answer));
  for (const _ of [1, 2]) assert.equal((await get())[0]?.kind, 'response');
  assert.deepEqual(received, Array(2).fill('GET /\xe9\\ HTTP/1.1\r\n\r\n'));
  assert.equal(connections(), 1);
  await get(true);
  assert.equal(connections(), 2);
});

test('joins a response that arrives byte by byte', async (t) => {
  const { get } = await served(t, (socket) => {
    socket.setNoDelay(true);
    for (const byte of answer) socket.write(byte);
  });
  const [reply] = await get();
  assert.ok(reply?.kind === 'response');
  assert.equal(reply.body, 'ok');
});

test('returns one reply per pipelined request', async (t) => {
  const { get } = await served(t, (socket) => socket.write(answer + answer));
  assert.deepEqual(
    (await get(false, 2)).map(({ kind }) => kind),
    ['response', 'response'],
  );
});

test('detects a close without a byte, also after a response', async (t) => {
  const { get } = await served(
    t,
    (socket) => socket.end(),
    (socket) => socket.end(answer),
  );
  assert.deepEqual(await get(), [{ kind: 'closed' }]);
  assert.deepEqual(
    (await get(false, 2)).map(({ kind }) => kind),
    ['response', 'closed'],
  );
});

test('repeats a request on a new connection when a kept one closes', async (t) => {
  let requests = 0;
  const first = (socket: Socket) => (++requests === 1 ? socket.write(answer) : socket.destroy());
  const { get, connections } = await served(t, first, (socket) => socket.write(answer));
  await get();
  assert.equal((await get())[0]?.kind, 'response');
  assert.equal(connections(), 2);
});

test('repeats a request after up to three truncated responses and reports the fourth', async (t) => {
  const torn = (socket: Socket) => void socket.end(answer.slice(0, -1));
  const { get, connections } = await served(t, torn, torn, torn, (socket) => socket.end(answer), torn);
  assert.equal((await get())[0]?.kind, 'response');
  assert.equal(connections(), 4);
  assert.equal((await get(true))[0]?.kind, 'broken');
  assert.equal(connections(), 8);
});

test('reports extra bytes, truncated responses and malformed responses', async (t) => {
  const cut = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc';
  const answers = [`${answer}more`, cut, cut, cut, cut, 'nonsense\r\n\r\n'];
  const { get } = await served(t, ...answers.map((text) => (socket: Socket) => void socket.end(text)));
  const reasons: (string | undefined)[] = [];
  for (const _ of ['behind', 'cut', 'nonsense']) {
    const last = (await get()).at(-1);
    reasons.push(last?.kind === 'broken' ? last.reason : last?.kind);
  }
  assert.deepEqual(reasons, [
    'extra bytes after the response',
    'the connection ended in the middle of the response',
    'no HTTP/1.1 status line',
  ]);
});

test('reports a refused connection', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const [reply] = await openConnection({ host: '127.0.0.1', port }).send(
    { bytes: Buffer.from('x'), awaited: [{ method: 'GET' }] },
    false,
  );
  assert.ok(reply?.kind === 'broken');
  assert.match(reply.reason, /ECONNREFUSED/);
});

test('stops reading an endless response after enough bytes', async (t) => {
  const { connection } = await served(t, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc'));
  const awaited = [{ method: 'GET', enough: 2 }, { method: 'GET' }];
  const replies = await connection.send({ bytes: Buffer.from('GET / HTTP/1.1\r\n\r\n'), awaited }, false);
  assert.deepEqual(
    replies.map((reply) => reply.kind === 'response' && [reply.body, reply.isCut]),
    [['abc', true]],
  );
});
