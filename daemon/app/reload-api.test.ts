/** A reload that changes the API: its address, its token, or both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { dial } from '../api/testing/connection.ts';
import { startChangeable } from '../testing/changeable.ts';
import { startUpstream } from '../testing/daemon.ts';

const token = 'a-token-of-sixteen-bytes-or-more';

const ping = async (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/ping`).then(
    (answer) => answer.ok,
    () => false,
  );

test('an API that moves to an address without a token needs the token on the old one until it is closed', async (t) => {
  const [open, private_] = [await freePort(), await freePort()];
  const { write } = await startChangeable(t, {
    api: { listen: `:${open}`, auth_token: token, allowed_hosts: ['localhost', '127.0.0.1'] },
    services: {},
  });
  write({ api: { listen: `127.0.0.1:${private_}` }, services: {} });
  const line = dial(t, { port: open, host: '127.0.0.1' });
  // the second request waits for the response to the first
  line.socket.write(
    `POST /reload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\nGET /banlist HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  );
  const text = await line.ended();
  assert.match(text, /"changed"/);
  assert.doesNotMatch(text, /"bans"/);
  await until(() => ping(private_));
  assert.equal(await ping(open), false);
  assert.equal((await fetch(`http://127.0.0.1:${private_}/banlist`)).status, 200);
});

test('a token that changed is in force at once, also for readers of events', async (t) => {
  const port = await freePort();
  const api = { listen: `127.0.0.1:${port}`, auth_token: token };
  const { daemon, write } = await startChangeable(t, { api, services: {} });
  const line = dial(t, { port, host: '127.0.0.1' });
  line.socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await line.until((text) => text.includes('retry:'));
  const status = async (bearer: string) =>
    (await fetch(`http://127.0.0.1:${port}/banlist`, { headers: { authorization: `Bearer ${bearer}` } })).status;
  write({ api: { ...api, auth_token: `${token}-changed` }, services: {} });
  assert.equal((await daemon.reload('a test')).ok, true);
  assert.deepEqual([await status(token), await status(`${token}-changed`)], [401, 200]);
  await line.ended();
});

test('an API that cannot move keeps the token of the last configuration that it applied', async (t) => {
  const port = await freePort();
  const { port: taken } = await startUpstream(t, (socket) => socket.destroy());
  const api = { listen: `127.0.0.1:${port}`, auth_token: token };
  const { daemon, write } = await startChangeable(t, { api, services: {} });
  const newer = `${token}-changed`;
  write({ api: { ...api, auth_token: newer }, services: {} });
  await daemon.reload('a test');
  write({ api: { ...api, listen: `127.0.0.1:${taken}`, auth_token: newer }, services: {} });
  await daemon.reload('a test');
  await until(() => daemon.problems().length > 0);
  const authorization = `Bearer ${token}`;
  assert.equal((await fetch(`http://127.0.0.1:${port}/banlist`, { headers: { authorization } })).status, 401);
});
