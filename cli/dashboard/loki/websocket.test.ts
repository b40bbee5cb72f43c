import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { receive } from './websocket.ts';

const mostBytes = 100_000;

function frame(first: number, payload: string | Buffer): Buffer {
  const length = payload.length;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10, first);
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.from(payload)]);
}

const end = [frame(0x88, ''), frame(0x81, 'late')];

/** What a client receives of these bytes. The server ends when the client sends something. */
async function received(t: TestContext, bytes: readonly Buffer[]): Promise<string[]> {
  const server = createServer().on('upgrade', (_, socket: Duplex) => {
    socket.on('data', () => socket.write(Buffer.concat(end))).on('error', () => {});
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    for (const part of bytes) socket.write(part);
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const texts: string[] = [];
  const onText = (text: string) => void texts.push(text);
  await receive(url, { signal: t.signal, mostBytes, timeoutMs: 5000, onOpen: () => {}, onText });
  return texts;
}

test('receives messages of every length, and those in fragments; responds to a ping', async (t) => {
  const lengths = [0, 1, 125, 126, 65_535, 65_536, mostBytes];
  const whole = lengths.map((length) => frame(0x81, 'x'.repeat(length)));
  const parts = [frame(0x01, 'a'), frame(0x89, 'ping'), frame(0x00, 'b'), frame(0x80, 'c')];
  const texts = await received(t, [...whole, ...parts]);
  assert.deepEqual(
    texts.map(({ length }) => length),
    [...lengths, 3],
  );
  assert.equal(texts.at(-1), 'abc');
});

test('ends a connection with a message that is too large, or that is not one of a server', async (t) => {
  const large = frame(0x81, 'x'.repeat(mostBytes + 1));
  const endless = [0x01, 0, 0].map((first) => frame(first, 'x'.repeat(mostBytes / 2)));
  const masked = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x61]);
  const huge = Buffer.from([0x81, 127, 255, 255, 255, 255, 255, 255, 255, 255]);
  for (const bytes of [[large], endless, [masked], [huge]])
    assert.deepEqual(await received(t, [frame(0x81, 'first'), ...bytes]), ['first']);
});
