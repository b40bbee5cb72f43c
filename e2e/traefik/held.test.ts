/** Responses that Traefik could prevent: during a reload, and silent_drop over HTTP/2. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { connect as connectRaw } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { routeWithGuards, startTraefik } from './process.ts';

/** An address at which no program listens: allowed requests get 502. */
const backend = 'http://127.0.0.1:1';

test('a reload does not wait for a held answer, which goes on; silent_drop on HTTP/2 is an empty 403', async (t) => {
  const held = { mode: 'tarpit', tarpitDelayMs: 50, tarpitMaxDurationSeconds: 600 };
  const traefik = await startTraefik(t, routeWithGuards(backend, { guard: { response: held } }));
  const url = `http://127.0.0.1:${traefik.port}`;
  const status = (path: string): Promise<number> =>
    fetch(url + path).then(
      (response) => response.status,
      () => 0,
    );
  await until(async () => (await status('/')) === 502, 'Traefik to serve');

  const socket = connectRaw(traefik.port, '127.0.0.1');
  t.after(() => socket.destroy());
  let received = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    received += part;
  });
  socket.write('GET /.env HTTP/1.1\r\nHost: x.test\r\n\r\n');
  await until(async () => received.startsWith('HTTP/1.1 200 OK\r\n'), 'the answer to begin');
  traefik.configure(
    routeWithGuards(backend, { guard: { blockPatterns: ['^/new$'], response: { mode: 'silent_drop' } } }),
  );
  await until(async () => (await status('/new')) === 0, 'the new policy');
  const before = received.length;
  await until(async () => received.length > before, 'the held answer to go on');
  assert.ok(!socket.readableEnded);
  socket.destroy();

  const session = connect(url);
  t.after(() => session.destroy());
  const ask = async (path: string) => {
    const stream = session.request({ ':path': path });
    const [headers] = await once(stream, 'response');
    return { status: headers[':status'], store: headers['cache-control'], body: await text(stream) };
  };
  assert.deepEqual(await ask('/.env'), { status: 403, store: 'no-store', body: '' });
  assert.equal((await ask('/clean')).status, 502);
});
