/** Tests the live tail with a server that does not close the connection. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openLoki } from './client.ts';
import type { LogLine } from './result.ts';
import { followTail } from './tail.ts';

const frameOf = (...lines: readonly string[]): Buffer => {
  const values = lines.map((line) => ['1700000000000000000', line]);
  const text = JSON.stringify({ streams: [{ stream: {}, values }] });
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
};

/** Starts a server that accepts WebSockets. It ignores every close frame of the client, as a stopped Loki does. */
async function serve(t: TestContext, onSocket: (socket: Socket, url: URL) => void): Promise<string> {
  const server = createServer().on('upgrade', ({ headers, url = '' }, socket: Socket) => {
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write([...lines, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
    socket.resume().on('error', () => {});
    t.after(() => socket.destroy());
    onSocket(socket, new URL(url, 'http://loki'));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a server that repeats one message. */
async function endless(t: TestContext) {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const address = await serve(t, (socket) => {
    const timer = setInterval(() => socket.write(frameOf('x')), 10);
    socket.on('close', () => clearInterval(timer));
    resolve(socket);
  });
  return { address, socket: promise };
}

test('the end of a tail closes its connection, whatever the server does, and takes no more lines', async (t) => {
  const { address, socket } = await endless(t);
  const end = new AbortController();
  const received = Promise.withResolvers<void>();
  let late = 0;
  const onLines = (lines: readonly LogLine[]) => {
    received.resolve();
    if (end.signal.aborted) late += lines.length;
  };
  const tail = followTail(openLoki(address, end.signal), '{}', { since: '1', onLines, onState: () => {} }, end.signal);
  await received.promise;
  const connection = await socket;
  const closed = new Promise((resolve) => connection.once('close', resolve));
  end.abort();
  await tail;
  await closed;
  assert.equal(late, 0);
});

test('a reconnected tail receives each line of the last nanosecond once', async (t) => {
  const starts: (string | null)[] = [];
  const address = await serve(t, (socket, { searchParams }) => {
    starts.push(searchParams.get('start'));
    if (starts.length === 1) socket.end(frameOf('a', 'b'));
    else socket.write(frameOf('a', 'b', 'c'));
  });
  const end = new AbortController();
  const received: string[] = [];
  const onLines = (lines: readonly LogLine[]) => {
    received.push(...lines.map(({ line }) => line));
    if (starts.length > 1) end.abort();
  };
  await followTail(openLoki(address, end.signal), '{}', { since: '1', onLines, onState: () => {} }, end.signal);
  assert.deepEqual({ starts, received }, { starts: ['1', '1700000000000000000'], received: ['a', 'b', 'c'] });
});
