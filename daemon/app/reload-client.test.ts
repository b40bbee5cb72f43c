import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { freePort } from '../../platform/free-ports.ts';
import { startChangeable } from '../testing/changeable.ts';
import { configuration } from '../testing/daemon.ts';
import { requestReload } from './reload-client.ts';

type Api = NonNullable<DaemonFile['api']>;

/** Host names before and after an edit of the file. */
const cases: Readonly<Record<string, { readonly host: string; readonly before: Api; readonly after?: Api }>> = {
  'a name that is not the address': { host: '127.0.0.1', before: { allowed_hosts: ['guard.example'] } },
  'all names of a domain': { host: '127.0.0.1', before: { allowed_hosts: ['*.guard.example'] } },
  'the default names, and another loopback address': { host: '127.0.0.2', before: {} },
  'a name that the edit adds': { host: '127.0.0.1', before: {}, after: { allowed_hosts: ['guard.example'] } },
  'a name before which the edit adds another': {
    host: '127.0.0.2',
    before: { allowed_hosts: ['guard.example'] },
    after: { allowed_hosts: ['other.example', 'guard.example'] },
  },
};

for (const [what, { host, before, after = before }] of Object.entries(cases))
  test(`requests a reload over TCP where allowed_hosts has ${what}`, async (t) => {
    const listen = `${host}:${await freePort()}`;
    const { write } = await startChangeable(t, { api: { listen, ...before }, services: {} });
    const api = { listen, ...after };
    write({ api, services: {} });
    const result = await requestReload(configuration({ api }));
    assert.deepEqual(result, { ok: true, changed: after === before ? [] : ['api.allowed_hosts'], problems: [] });
  });

/** Another program that listens at the address of the API. `send` writes its response. */
async function otherProgram(t: TestContext, send: RequestListener) {
  const server = createServer(send);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return configuration({ api: { listen: `127.0.0.1:${(server.address() as AddressInfo).port}` } });
}

const hostile = '\u001b[2J\u0007\u202e\n\u009b31m';
const escaped = '\\x1b[2J\\x07\\u{202e}\\x0a\\x9b31m';

test('escapes what a terminal would interpret in a response', async (t) => {
  let [status, body] = [200, {} as object];
  const config = await otherProgram(t, (_request, response) => response.writeHead(status).end(JSON.stringify(body)));
  body = { changed: [hostile], restart: [], problems: [hostile] };
  assert.deepEqual(await requestReload(config), { ok: true, changed: [escaped], problems: [escaped] });
  status = 422;
  const problem = (text: string) => ({ path: text, line: 3, column: 1, message: text, hint: text });
  body = { error: { code: 'invalid_configuration', message: hostile, problems: [problem(hostile)] } };
  assert.deepEqual(await requestReload(config), { ok: false, message: escaped, problems: [problem(escaped)] });
});

const bodies: readonly string[] = [
  hostile,
  'null',
  '[]',
  '{"changed":"abc","problems":[]}',
  '{"changed":{"length":3},"problems":5}',
  '{"changed":[],"problems":[{}]}',
  '{"error":{"code":"x","message":{"x":1},"problems":"abc"}}',
  '['.repeat(500_000),
];

for (const body of bodies)
  test(`reports that another program responds with ${JSON.stringify(body.slice(0, 60))}`, async (t) => {
    const config = await otherProgram(t, (_request, response) => response.end(body));
    const message =
      'cannot reach the API of the daemon: another program responds there, with status 200. Is tcp-guard running with this configuration?';
    assert.deepEqual(await requestReload(config), { ok: false, message, problems: [] });
  });

test('limits the time for a whole response, however slowly its bytes arrive', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const config = await otherProgram(t, (_request, response) => {
    const dripping = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(dripping));
    t.mock.timers.tick(60_000);
  });
  const result = await requestReload(config);
  assert.match(result.ok ? '' : result.message, /: no response within 60 s\./);
});

test('limits the size of a response', async (t) => {
  const config = await otherProgram(t, (_request, response) => response.end(' '.repeat(1024 * 1024 + 1)));
  const result = await requestReload(config);
  assert.match(result.ok ? '' : result.message, /: the response is too long\./);
});
