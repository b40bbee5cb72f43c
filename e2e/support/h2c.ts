/** A backend that accepts every upgrade: HTTP/2 after h2c, an echo after other protocols. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { listen } from './listen.ts';

export interface H2cBackend {
  readonly port: number;
  /** Requests over HTTP/1, in order. */
  readonly requests: readonly IncomingMessage[];
  /** Paths of the requests over HTTP/2. */
  readonly streams: readonly string[];
}

export async function startH2c(t: TestContext): Promise<H2cBackend> {
  const requests: IncomingMessage[] = [];
  const streams: string[] = [];
  const sockets = new Set<Socket>();
  const http2 = createHttp2Server((request, response) => {
    streams.push(request.url);
    response.end('over HTTP/2');
  });
  const server = createServer((request, response) => {
    requests.push(request);
    response.end('over HTTP/1');
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    requests.push(request);
    sockets.add(socket.on('error', () => {}));
    const protocol = request.headers.upgrade ?? '';
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    if (protocol.toLowerCase() === 'h2c') http2.emit('connection', socket);
    else socket.pipe(socket);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    requests.push(request);
    sockets.add(socket.on('error', () => {}));
    socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port: await listen(t, server), requests, streams };
}

/** Sends the head of a request. Returns the connection and the first bytes of the response, if it has any. */
async function sendHead(t: TestContext, port: number, lines: readonly string[]): Promise<[Socket, string]> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  t.after(() => socket.destroy());
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.once('data', () => socket.pause()); // frames may follow, which the next reader needs
  // A proxy that gives up on a backend may reset the connection: then there is no response.
  const [bytes = ''] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [])]).catch(() => []);
  return [socket, Buffer.from(bytes).toString('latin1')];
}

const h2cLines = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];

/** Switches a connection to HTTP/2 and requests `/.env` on it. Returns the status, or undefined without one. */
export async function askOverH2c(t: TestContext, port: number): Promise<number | undefined> {
  const [socket, answer] = await sendHead(t, port, ['GET /ok HTTP/1.1', 'Host: x', ...h2cLines]);
  if (!answer.startsWith('HTTP/1.1 101 ')) return undefined;
  socket.unshift(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1'); // frames behind the head
  const session = connectHttp2('http://x', { createConnection: () => socket }).on('error', () => {});
  const stream = session.request({ ':path': '/.env' }).on('error', () => {});
  const closed = once(stream, 'close').then(() => [{}]);
  const [headers] = await Promise.race([once(stream, 'response'), closed]).catch(() => [{}]);
  session.destroy();
  return headers[':status'];
}

interface Attempt {
  readonly line?: string;
  readonly headers: readonly string[];
  /** The protocol that the backend receives; absent: none. */
  readonly upgrade?: string;
}

const attempts: Readonly<Record<string, Attempt>> = {
  h2c: { headers: h2cLines },
  'h2c of OPTIONS': { line: 'OPTIONS /ok HTTP/1.1', headers: h2cLines },
  'h2c of POST': { line: 'POST /ok HTTP/1.1', headers: [...h2cLines, 'Content-Length: 0'] },
  'h2c in HTTP/1.0': { line: 'GET /ok HTTP/1.0', headers: h2cLines },
  TLS: { headers: ['Connection: Upgrade', 'Upgrade: TLS/1.0'] },
  'odd case and blanks': { headers: ['cOnNeCtIoN: \t close ,\tuPGRADE\t', 'uPgRaDe:\t H2C \t'] },
  'two lines of Connection': { headers: ['Connection: keep-alive', 'Connection: upgrade', 'Upgrade: h2c'] },
  'a list': { headers: ['Connection: Upgrade', 'Upgrade: h2c, websocket'], upgrade: 'websocket' },
  'two lines': { headers: ['Connection: Upgrade', 'Upgrade: h2c', 'Upgrade: TLS/1.0'] },
  'an empty line first': { headers: ['Connection: Upgrade', 'Upgrade:', 'Upgrade: h2c'] },
  'a WebSocket': { headers: ['Connection: keep-alive, Upgrade', 'Upgrade: WebSocket'], upgrade: 'websocket' },
};

const headerOf = ({ headers }: IncomingMessage, name: string): string => String(headers[name] ?? '').toLowerCase();

async function checkAttempt(t: TestContext, port: number, backend: H2cBackend, attempt: Attempt): Promise<void> {
  const { line = 'GET /ok HTTP/1.1', headers, upgrade = '' } = attempt;
  const [, answer] = await sendHead(t, port, [line, 'Host: x', ...headers]);
  assert.match(answer, upgrade ? /^HTTP\/1\.1 101 / : /^HTTP\/1\.[01] 200 /);
  const received = backend.requests.at(-1);
  assert.ok(received);
  assert.equal(headerOf(received, 'upgrade'), upgrade);
  assert.equal(headerOf(received, 'http2-settings'), '');
}

/** Sends each attempt to a proxy with a guard that has the default for `allowUpgrades`. */
export async function checkUpgrades(t: TestContext, port: number, backend: H2cBackend): Promise<void> {
  for (const [name, attempt] of Object.entries(attempts))
    await t.test(name, (one) => checkAttempt(one, port, backend, attempt));
  await t.test('no stream of HTTP/2 reaches the backend', async (one) => {
    assert.equal(await askOverH2c(one, port), undefined);
    assert.deepEqual(backend.streams, []);
  });
}

/** Proves with a guard that allows h2c, detects or is off that the backend serves the streams. */
export async function checkStreams(t: TestContext, port: number, backend: H2cBackend): Promise<void> {
  assert.equal(await askOverH2c(t, port), 200);
  assert.equal(backend.streams.at(-1), '/.env');
}
