import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { guardedService, temporaryFolder, testFile } from '../../testing/daemon.ts';
import { spawnDaemon } from '../../testing/spawned.ts';
import { workersOf } from '../testing/workers.ts';

const chunkBytes = 1 << 22;

/** Whether a process has a text in its writable memory. */
function holds(pid: number, text: string): boolean {
  const wanted = Buffer.from(text);
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const chunk = Buffer.alloc(chunkBytes);
  try {
    for (const [, from = '', to = ''] of readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/^(\w+)-(\w+) rw/gm)) {
      const end = Number.parseInt(to, 16);
      for (let at = Number.parseInt(from, 16); at < end; at += chunkBytes) {
        try {
          if (chunk.subarray(0, readSync(memory, chunk, 0, Math.min(chunkBytes, end - at), at)).includes(wanted))
            return true;
        } catch {
          break; // the kernel does not let this region be read
        }
      }
    }
    return false;
  } finally {
    closeSync(memory);
  }
}

test('workers have no token and no key, in memory or environment', async (t) => {
  const folder = temporaryFolder();
  const path = join(folder, 'tcp-guard.yaml');
  const secrets = ['token-of-the-api', 'key-of-the-bouncer', 'password-of-machine'].map((name) => `${name}-0123456789`);
  const [auth_token = '', api_key = '', password = ''] = secrets;
  const threatfeed = {
    enabled: true,
    lapi_url: 'http://127.0.0.1:9',
    api_key: `\${GUARD_TEST_KEY}`,
    push: true,
    machine_id: 'm',
    password,
  };
  const api = { listen: '127.0.0.1:0', auth_token };
  writeFileSync(
    path,
    JSON.stringify({
      ...testFile(folder, { global: { workers: 2 }, services: { one: guardedService(9) }, threatfeed }),
      api,
    }),
  );
  const child = spawnDaemon(t, path, { GUARD_TEST_KEY: api_key });
  await until(() => child.said.includes('ready') || child.hasEnded);
  const workers = workersOf(child.pid);
  assert.equal(workers.length, 2, child.said);
  try {
    assert.ok(holds(child.pid, auth_token));
  } catch (error) {
    return t.skip(`the memory of a process cannot be read: ${(error as Error).message}`);
  }
  for (const pid of workers) {
    assert.deepEqual(
      secrets.filter((secret) => holds(pid, secret)),
      [],
    );
    assert.equal(readFileSync(`/proc/${pid}/environ`, 'utf8').includes(api_key), false);
  }
});
