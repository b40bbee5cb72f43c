/** Starts tcp-guard with the output of `guardcli generate tcp-guard`. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { generateDaemon } from '../../cli/generate/daemon.ts';
import { loadDaemon } from '../../contract/load/daemon.ts';
import { loadPolicy } from '../../contract/load/policy.ts';
import { startDaemon } from '../../daemon/app/daemon.ts';
import { compile } from '../../engine/index.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { hostileTexts, policies } from '../support/carried-policies.ts';
import { listen } from '../support/listen.ts';

async function backend(t: TestContext): Promise<number> {
  const server = createServer((_, response) => response.end('backend'));
  return listen(t, server);
}

/** Configuration of a daemon whose only service uses the policy. */
const part = (folder: string, port: number) => ({
  global: { log_file: join(folder, 'audit.jsonl'), data_dir: join(folder, 'data'), max_connections: 100 },
  api: { listen: '', socket: join(folder, 'api.sock') },
  services: {
    web: { listen: '127.0.0.1:0', upstream: `127.0.0.1:${port}`, protocol: 'http', http: { policy: 'guard.json' } },
  },
});

/** Starts a daemon that gets only the generated file. */
async function started(t: TestContext, policy: object) {
  const folder = scratchFolder('guard-generated-');
  const tcp = part(folder, await backend(t));
  const bytes = Buffer.from(JSON.stringify({ ...policy, tcp }));
  writeFileSync(join(folder, 'guard.json'), bytes);
  const loaded = loadPolicy(bytes, 'guard.json');
  assert.ok(loaded.ok, JSON.stringify(loaded.ok || loaded.problems));
  const file = join(folder, 'tcp-guard.yaml');
  writeFileSync(file, generateDaemon(loaded.value));
  const read = () => loadDaemon(readFileSync(file), file, {});
  const config = read();
  assert.ok(config.ok, JSON.stringify(config.ok || config.problems));
  const daemon = await startDaemon(config.value, { read, folder });
  t.after(() => daemon.close(0));
  const [service] = daemon.services();
  const port = Number(service?.listen.split(':').at(-1));
  return { daemon, port, guard: compile(loaded.value) };
}

/** Returns an empty text when the connection was closed. */
async function answer(port: number, target: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`GET ${target} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
  return text(socket).catch(() => '');
}

describe('tcp-guard runs with what is generated from', () => {
  for (const [name, policy] of Object.entries(policies))
    it(name, async (t) => {
      const { daemon, port, guard } = await started(t, policy);
      assert.deepEqual([daemon.isServing(), daemon.problems()], [true, []]);
      for (const target of ['/', '/.env', '/internal/a']) {
        const request = { method: 'GET', target, headers: [['Host', 'a.example']], ip: '127.0.0.1' } as const;
        const isPassed = guard.evaluate(request).verdict === 'allowed';
        assert.equal((await answer(port, target)).endsWith('backend'), isPassed, target);
      }
      assert.deepEqual(await daemon.reload('a test'), { ok: true, changed: [], restart: [], problems: [] });
    });
});

/** Excludes values that are too long for a file name, or that refer to an environment variable. */
const isWritable = (value: string): boolean => Buffer.byteLength(value) <= 255 && !value.includes('${');

it('texts that YAML could read as another type are kept verbatim', () => {
  for (const machine_id of hostileTexts.filter(isWritable)) {
    const loaded = loadPolicy(Buffer.from(JSON.stringify({ tcp: { threatfeed: { machine_id } } })), 'guard.json');
    if (!loaded.ok) continue; // invalid policies cannot be generated
    const read = loadDaemon(Buffer.from(generateDaemon(loaded.value)), 'tcp-guard.yaml', {});
    assert.equal(read.ok ? read.value.threatfeed.machine_id : JSON.stringify(read.problems), machine_id);
  }
});
