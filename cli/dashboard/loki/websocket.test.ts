import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { receiveTexts } from './websocket.ts';

const mostBytes = 100_000;

/** Returns the messages that the client receives from a server. `serve` handles the connection. */
async function received(t: TestContext, serve: (client: WebSocket, socket: Duplex) => void): Promise<string[]> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (client, { socket }) => {
    client.on('error', () => {});
    serve(client, socket);
  });
  t.after(() => server.close());
  await once(server, 'listening');
  const url = new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const texts: string[] = [];
  const onText = (text: string) => void texts.push(text);
  await receiveTexts(url, { signal: t.signal, mostBytes, timeoutMs: 120_000, onOpen: () => {}, onText });
  return texts;
}

test('receives messages up to the limit, and those in fragments; responds to a ping', async (t) => {
  const lengths = [0, 1, mostBytes];
  const texts = await received(t, (client) => {
    for (const length of lengths) client.send('x'.repeat(length));
    for (const [text, fin] of [
      ['a', false],
      ['b', false],
      ['c', true],
    ] as const)
      client.send(text, { fin });
    client.on('pong', () => client.close());
    client.ping();
  });
  assert.deepEqual(
    texts.map(({ length }) => length),
    [...lengths, 3],
  );
  assert.equal(texts.at(-1), 'abc');
});

const half = 'x'.repeat(mostBytes / 2);
/** Invalid frames by name: three ways to send a message that is too large, and a masked frame, which only clients may send. */
const wrong: Readonly<Record<string, (client: WebSocket, socket: Duplex) => void>> = {
  large: (client) => client.send('x'.repeat(mostBytes + 1)),
  endless: (client) => ['a', half, half].forEach((text) => void client.send(text, { fin: false })),
  announced: (_, socket) => socket.write(Buffer.from([0x81, 127, 0, 0, 255, 255, 255, 255, 255, 255])),
  masked: (_, socket) => socket.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x61])),
};

for (const [name, send] of Object.entries(wrong))
  test(`ends a connection with a message that is not valid: ${name}`, async (t) => {
    const texts = await received(t, (client, socket) => {
      client.send('first');
      send(client, socket);
    });
    assert.deepEqual(texts, ['first']);
  });
