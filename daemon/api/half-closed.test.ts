/** Clients that half-close the connection after the request, as `nc -N` does. */
import assert from 'node:assert/strict';
import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../../platform/testing/until.ts';
import { dial, exchange } from './testing/connection.ts';
import { type Settings, start, testFolder } from './testing/running-api.ts';

const request = (line: string, headers = '', body = ''): string =>
  `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${body}`;

const ban = '{"ip":"192.0.2.7"}';
const banned = request('POST /ban', `Content-Type: application/json\r\nContent-Length: ${ban.length}\r\n`, ban);

/** Sends bytes and half-closes. Resolves with all received bytes when the server has closed the connection. */
function halfClosed(t: TestContext, to: NetConnectOpts, bytes: string): Promise<string> {
  const line = dial(t, to);
  line.socket.end(bytes);
  return line.ended();
}

/** An API on TCP and on a socket, and the options to connect to each. */
async function both(t: TestContext, settings: Settings = {}) {
  const socket = join(testFolder(), 'api.sock');
  const { port, ...started } = await start(t, { ...settings, api: { socket } });
  const ways: Readonly<Record<string, NetConnectOpts>> = { TCP: { port, host: '127.0.0.1' }, socket: { path: socket } };
  return { ...started, port, ways: Object.entries(ways) };
}

const statusesOf = (text: string) => text.match(/(?<=HTTP\/1\.1 )\d+/g);

test('gets the responses to all of its requests, and then the end', async (t) => {
  const { ways, control } = await both(t);
  for (const [way, to] of ways) {
    assert.match(await halfClosed(t, to, request('GET /health')), /^HTTP\/1\.1 200 [\s\S]*"status":"ok"/, way);
    const three = request('GET /ping') + banned + request('GET /nothing');
    assert.deepEqual(statusesOf(await halfClosed(t, to, three)), ['200', '201', '404'], way);
  }
  assert.equal(control.bans.count(), 1);
});

test('gets a response that comes long after its end', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const reload = async () => {
    asked += 1;
    await promise;
    return { ok: true, changed: [], restart: [], problems: [] } as const;
  };
  const { ways } = await both(t, { control: { reload } });
  const texts = ways.map(([, to]) => halfClosed(t, to, request('POST /reload')));
  await until(() => asked === ways.length);
  for (let turns = 0; turns < 20; turns += 1) await turn(); // until the server has noticed both half-closed connections
  resolve();
  for (const text of await Promise.all(texts)) assert.match(text, /^HTTP\/1\.1 200 [\s\S]*"changed":\[\]/);
});

test('is refused when its request is not complete, and has no effect', async (t) => {
  const { ways, control } = await both(t);
  for (const [way, to] of ways)
    for (const bytes of ['GET /ping HT', banned.slice(0, -1)])
      assert.deepEqual(statusesOf(await halfClosed(t, to, bytes)), ['400'], `${way}: ${bytes}`);
  assert.equal(control.bans.count(), 0);
});

test('is disconnected when it reads nothing', async (t) => {
  let answers = 0;
  const services = () => {
    answers += 1;
    return [{ name: 'x'.repeat(32 * 1024 ** 2), protocol: '', listen: '', upstream: '', enabled: true }];
  };
  const { port, ways } = await both(t, { control: { services }, bounds: { apiStallMs: 300, apiConnections: 1 } });
  for (const [, to] of ways) {
    const { socket } = dial(t, to);
    socket.pause().end(request('GET /services'));
  }
  await until(() => answers === ways.length);
  const ping = request('GET /ping', 'Connection: close\r\n');
  await until(async () => (await exchange(t, port, ping)) !== '');
});

test('ends its event stream, as it cannot be distinguished from a client that has left', async (t) => {
  const { ways } = await both(t);
  for (const [way, to] of ways) {
    const line = dial(t, to);
    line.socket.write(request('GET /events'));
    await line.until((text) => text.includes('retry:'));
    line.socket.end();
    assert.match(await line.ended(), /^HTTP\/1\.1 200 /, way);
  }
});
