import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { until } from '../../../../platform/testing/until.ts';
import { bodyAfterHead, heldCount, start, untilHeld } from './held-site.ts';
import { exchangeBytes, open, request } from './wire.ts';

test('tarpit', async (t) => {
  const nginx = await start(t);
  await t.test('sends single bytes and ends', async () => {
    // Repeats the request, because a worker that stalls for a second cuts the response.
    await until(async () => {
      const bytes = await exchangeBytes(nginx.port, request('GET', '/tarpit/.env', 'Connection: close'));
      assert.match(
        bytes,
        /^HTTP\/1.1 200 .*\r\nContent-Type: text\/plain; charset=utf-8\r\n.*\r\nCache-Control: no-store\r\n/s,
      );
      return /^(?:1\r\n\.\r\n){1,3}0\r\n\r\n$/.test(bodyAfterHead(bytes));
    }, 'a response in single bytes with an end');
    await untilHeld(nginx, 0);
  });
  await t.test('HEAD gets headers and ends', async () => {
    const bytes = await exchangeBytes(nginx.port, request('HEAD', '/endless/.env', 'Connection: close'));
    assert.match(bytes, /^HTTP\/1.1 200 .*\r\n\r\n$/s);
  });
  await t.test('ends with the stream of HTTP/2', async () => {
    const session = connect(`http://127.0.0.1:${nginx.http2Port}`);
    const stream = session.request({ ':path': '/endless/.env' });
    await once(stream, 'data');
    assert.equal(await heldCount(nginx), 1);
    stream.close();
    await untilHeld(nginx, 0);
    session.destroy();
  });
  await t.test('ends when the client leaves that sent a body', async () => {
    const socket = await open(nginx.port);
    socket.write(`${request('POST', '/endless/.env', 'Content-Length: 3')}abc`);
    await once(socket, 'data');
    socket.destroy();
    await untilHeld(nginx, 0);
  });
  await t.test('neither waits for a body that is withheld, nor goes on when its client leaves', async () => {
    const socket = await open(nginx.port);
    socket.write(`${request('POST', '/endless/.env', 'Content-Length: 9')}half`);
    await once(socket, 'data');
    assert.equal(await heldCount(nginx), 1);
    socket.destroy();
    await untilHeld(nginx, 0);
  });
});

test('a client that expects 100 Continue gets none after the response', async (t) => {
  const nginx = await start(t);
  const socket = await open(nginx.port);
  const chunks: string[] = [];
  socket.on('data', (chunk) => chunks.push(String(chunk)));
  socket.write(request('POST', '/tarpit/.env', 'Expect: 100-continue', 'Content-Length: 3', 'Connection: close'));
  await until(() => chunks.join('').includes('0\r\n\r\n'), 'the end of the response');
  const closed = once(socket, 'close');
  socket.write('abc');
  await closed;
  assert.doesNotMatch(chunks.join(''), /100 Continue/);
});
