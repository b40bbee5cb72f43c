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

/** Starts a server that repeats one message and ignores every close frame of the client, as a stopped Loki does. */
async function endless(t: TestContext) {
  const text = JSON.stringify({ streams: [{ stream: {}, values: [['1700000000000000000', 'x']] }] });
  const frame = Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const server = createServer().on('upgrade', ({ headers }, socket: Socket) => {
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write([...lines, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
    const timer = setInterval(() => socket.write(frame), 10);
    socket.resume().on('error', () => {});
    socket.on('close', () => clearInterval(timer));
    t.after(() => socket.destroy());
    resolve(socket);
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, socket: promise };
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
