/** The ban store of a daemon in a separate process. The test removes the log of the store, then kills the daemon. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { temporaryFolder, testFile } from '../testing/daemon.ts';

const program = join(import.meta.dirname, `main${extname(import.meta.filename)}`);

function startIn(t: TestContext, folder: string) {
  const socketPath = join(folder, 'api.sock');
  const file = join(folder, 'tcp-guard.yaml');
  writeFileSync(file, JSON.stringify(testFile(folder, { api: { listen: '', socket: socketPath } })));
  const child = spawn(process.execPath, [program, '-c', file], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const send = async (path: string, body?: object): Promise<{ status: number; body: string }> => {
    const headers = { 'Content-Type': 'application/json' };
    const asking = request({ socketPath, path, agent: false, method: body ? 'POST' : 'GET', headers });
    asking.end(body && JSON.stringify(body));
    const [response] = await once(asking, 'response');
    return { status: response.statusCode, body: await text(response) };
  };
  const isReady = () =>
    send('/ping').then(
      ({ status }) => status === 200,
      () => false,
    );
  const ready = () => until(isReady);
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { send, ready, kill };
}

test('an acknowledged ban survives a kill after the log of the store was removed', async (t) => {
  const folder = temporaryFolder();
  const daemon = startIn(t, folder);
  await daemon.ready();
  const ban = async (ip: string) => {
    assert.equal((await daemon.send('/ban', { ip, duration: '1h' })).status, 201);
    return ip;
  };
  const before = await Promise.all(Array.from({ length: 50 }, (_, host) => ban(`198.51.100.${host}`)));
  assert.match((await daemon.send('/health')).body, /"ok"/);
  rmSync(join(folder, 'bans.sqlite-wal'));
  const after = await Promise.all(Array.from({ length: 50 }, (_, host) => ban(`203.0.113.${host}`)));
  assert.match((await daemon.send('/health')).body, /"degraded".*bans\.sqlite-wal was removed or replaced/s);
  await until(() => readFileSync(join(folder, 'audit.jsonl'), 'utf8').includes('bans.sqlite-wal was removed'));
  await daemon.kill();
  const next = startIn(t, folder);
  await next.ready();
  const { body } = await next.send('/banlist?limit=1000');
  const lost = [...before, ...after].filter((ip) => !body.includes(`"${ip}"`));
  assert.deepEqual(lost, []);
  assert.match((await next.send('/health')).body, /"ok"/);
});
