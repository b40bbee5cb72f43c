/** The Unix socket of the management API. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { startApi } from './index.ts';
import { dial } from './testing/connection.ts';
import { testCore } from './testing/core.ts';
import { start, testConfig, testFolder } from './testing/running-api.ts';

const token = 'a-token-of-some-length';
const run = promisify(execFile);

const curl = async (socket: string, ...args: string[]): Promise<string> =>
  (await run('curl', ['--silent', '--show-error', '--unix-socket', socket, ...args])).stdout;

test('serves every process that may open it, beside TCP, with any host and without a token', async (t) => {
  const socket = join(testFolder(), 'api.sock');
  const { url, api } = await start(t, { api: { socket, auth_token: token } });
  assert.equal(api.addresses[1], socket);
  assert.equal((await fetch(`${url}/stats`)).status, 401);
  assert.equal(await curl(socket, 'http://any.example/api/ping'), 'pong\n');
  assert.match(await curl(socket, '-H', 'Origin: http://evil.example', 'http://x/stats'), /"services"/);
  assert.match(await curl(socket, '--json', '{"ip":"192.0.2.7"}', 'http://x/ban'), /"remaining":"1h"/);
});

test('its mode is 0660 whatever the umask, and the umask is restored', async (t) => {
  const socket = join(testFolder(), 'api.sock');
  const before = process.umask(0);
  t.after(() => process.umask(before));
  await start(t, { api: { listen: '', socket } });
  assert.equal(statSync(socket).mode & 0o777, 0o660);
  assert.equal(process.umask(), 0);
});

/** Leaves a socket file behind, as a killed process does. */
async function leave(t: TestContext, path: string): Promise<void> {
  const code = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.stdout.write('up'))`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
}

test('replaces the file of a killed daemon and removes its own at the end', async (t) => {
  const socket = join(testFolder(), 'api.sock');
  await leave(t, socket);
  assert.ok(existsSync(socket));
  const { api } = await start(t, { api: { listen: '', socket } });
  assert.equal(await curl(socket, 'http://x/ping'), 'pong\n');
  await api.close();
  assert.equal(existsSync(socket), false);
});

test('keeps a socket in use and a file that is not a socket, and closes TCP', async (t) => {
  const folder = testFolder();
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

test('names the folder of the socket when it does not exist', async () => {
  const folder = join(testFolder(), 'absent');
  const config = testConfig({ listen: '', socket: join(folder, 'api.sock') });
  await assert.rejects(startApi({ config, control: testCore() }), {
    message: new RegExp(`the folder ${folder} does not exist: create it`),
  });
});
