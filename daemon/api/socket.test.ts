/** The Unix socket of the management API. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { startApi } from './index.ts';
import { dial, start, testConfig, testCore, testFolder } from './testing.ts';

const token = 'a-token-of-some-length';
const run = promisify(execFile);

const curl = async (socket: string, ...args: string[]): Promise<string> =>
  (await run('curl', ['--silent', '--show-error', '--unix-socket', socket, ...args])).stdout;

test('it answers beside TCP to anybody who may open it, with any host and no token', async (t) => {
  const socket = join(testFolder(t), 'api.sock');
  const { url, api } = await start(t, { api: { socket, auth_token: token } });
  assert.equal(api.addresses[1], socket);
  assert.equal((await fetch(`${url}/stats`)).status, 401);
  assert.equal(await curl(socket, 'http://any.example/api/ping'), 'pong\n');
  assert.match(await curl(socket, '-H', 'Origin: http://evil.example', 'http://x/stats'), /"services"/);
  assert.match(await curl(socket, '--json', '{"ip":"192.0.2.7"}', 'http://x/ban'), /"remaining":"1h"/);
});

test('its mode is 0660 whatever the mask, and the mask stays', async (t) => {
  const socket = join(testFolder(t), 'api.sock');
  const before = process.umask(0);
  t.after(() => process.umask(before));
  await start(t, { api: { listen: '', socket } });
  assert.equal(statSync(socket).mode & 0o777, 0o660);
  assert.equal(process.umask(), 0);
});

/** A socket file that nobody listens on any more: its process was killed. */
async function leave(t: TestContext, path: string): Promise<void> {
  const code = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.stdout.write('up'))`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
}

test('a file that a killed daemon left is replaced, and removed at the end', async (t) => {
  const socket = join(testFolder(t), 'api.sock');
  await leave(t, socket);
  assert.ok(existsSync(socket));
  const { api } = await start(t, { api: { listen: '', socket } });
  assert.equal(await curl(socket, 'http://x/ping'), 'pong\n');
  await api.close();
  assert.equal(existsSync(socket), false);
});

test('a socket that somebody answers on and a file that is none stay, and TCP is let go', async (t) => {
  const folder = testFolder(t);
  const [socket, file] = [join(folder, 'api.sock'), join(folder, 'file')];
  await start(t, { api: { listen: '', socket } });
  writeFileSync(file, 'text');
  for (const [path, message] of [
    [socket, /another process listens/],
    [file, /is not a socket/],
  ] as const) {
    const { port } = await start(t);
    const config = testConfig({ listen: `127.0.0.2:${port}`, socket: path });
    await assert.rejects(startApi({ config, control: testCore() }), { message });
    const { socket: tcp } = dial(t, { host: '127.0.0.2', port });
    const [error] = await once(tcp, 'error').catch((cause) => [cause]);
    assert.equal(error.code, 'ECONNREFUSED');
  }
  assert.equal(await curl(socket, 'http://x/ping'), 'pong\n');
});
