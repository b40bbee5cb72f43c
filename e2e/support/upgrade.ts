/** Connections that leave HTTP with an upgrade, such as WebSockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { listen } from './listen.ts';

/** Starts a server that accepts an upgrade and then echoes all bytes. */
export async function startEcho(t: TestContext): Promise<number> {
  const server = createServer((_, response) => response.end());
  const upgraded = new Set<Socket>();
  server.on('upgrade', (_request, socket: Socket) => {
    upgraded.add(socket.on('error', () => {}));
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.pipe(socket);
  });
  t.after(() => {
    for (const socket of upgraded) socket.destroy();
  });
  return listen(t, server);
}

/** A guard that read these as a body would block the first. The second is not text. */
const echoedMessages = ['f=../../../etc/passwd', '\0\xff'];

/** Upgrades a connection to the echo server. The proxy must return each message. */
export async function checkUpgrade(t: TestContext, port: number, headers: readonly string[] = []): Promise<void> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  t.after(() => socket.destroy());
  const next = async (): Promise<string> => String((await once(socket, 'data'))[0]);
  const lines = ['GET /chat HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', ...headers, '', ''];
  socket.write(lines.join('\r\n'));
  assert.match(await next(), /^HTTP\/1\.1 101 /);
  for (const message of echoedMessages) {
    socket.write(message, 'latin1');
    let text = '';
    while (text.length < message.length) text += await next();
    assert.equal(text, message);
  }
}
