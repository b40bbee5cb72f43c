/** Messages and exit statuses of sandboxes that fail. No container or network may remain. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { ensureImage } from '../../cli/sandbox/image/image.ts';
import { connect, diskFiles } from '../../containers/connect.ts';
import { open } from '../../containers/docker.ts';
import { imageLabel } from '../../containers/labels.ts';
import type { ExternalError } from '../../platform/errors.ts';
import { until } from '../../platform/testing/until.ts';
import {
  containersOn,
  docker,
  freePort,
  networksOf,
  run,
  sessionOn,
  skip,
  start,
  temporaryFile,
  untilGone,
} from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';

const clean = { checkQuery: true };

test('a port in use is named before anything is started', { skip }, async (t) => {
  const server = createServer();
  const port = await listen(t, server);
  const file = temporaryFile('guard.json', clean);
  const { status, stderr } = await run(t, ['sandbox', 'caddy', file, '--test', '--port', String(port)]);
  assert.equal(status, 3);
  assert.match(stderr, new RegExp(`error: port ${port} is in use: .* listens on 127.0.0.1:${port}\\. .*--port \\d+`));
  assert.deepEqual(await containersOn(port), []);
});

test('a container runtime that is not there is said with what was tried', { skip }, async (t) => {
  const env = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
  const { status, stderr } = await run(t, ['sandbox', 'caddy', temporaryFile('guard.json', clean), '--test'], env);
  assert.equal(status, 3);
  assert.match(
    stderr,
    /error: no container runtime responds\.\n {2}\| unix:\/\/\/nonexistent\/docker\.sock \(DOCKER_HOST\): .*ENOENT/,
  );
});

test('a proxy that dies at its start is quoted', { skip }, async (t) => {
  const port = await freePort();
  const file = temporaryFile('guard.json', { secret: '${GUARD_E2E_SHORT}' });
  const arguments_ = ['sandbox', 'caddy', file, '--test', '--port', String(port), '--env', 'GUARD_E2E_SHORT'];
  const { status, stderr } = await run(t, arguments_, { GUARD_E2E_SHORT: 'short' });
  assert.equal(status, 3);
  assert.match(
    stderr,
    /error: the sandbox ended: the proxy ended with status 1\.\n {2}\| .*secret: expected at least 16 bytes, found 5/,
  );
  assert.deepEqual(await containersOn(port), []);
});

test('running out of memory is named as the reason', { skip }, async (t) => {
  const port = await freePort();
  const running = start(t, ['sandbox', 'caddy', temporaryFile('guard.json', clean), '--port', String(port)]);
  await running.says('serving on');
  const [line = ''] = await containersOn(port);
  await docker('update', '--memory', '48m', '--memory-swap', '48m', line.split(' ')[0]?.slice(1) ?? '');
  const body = 'x'.repeat(1_000_000);
  const flood = async (): Promise<void> => {
    while (running.child.exitCode === null)
      await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body }).catch(() => {});
  };
  await Promise.race([running.ended, ...Array.from({ length: 32 }, flood)]);
  assert.equal(await running.ended, 3);
  assert.match(running.stderr(), /error: the sandbox ended: .*killed at its memory limit/);
  assert.deepEqual(await containersOn(port), []);
});

test('an image that cannot be built is said with the last lines of the builder', { skip }, async (t) => {
  const containers = await connect(process.env, diskFiles, open);
  const dockerfile = temporaryFile('Dockerfile', 'FROM scratch\nLABEL request-guard.image="e2e"\nCOPY absent /\n');
  t.after(async () => {
    for (const item of await containers.list('image', imageLabel, { value: 'e2e' })) await containers.remove(item);
  });
  const made = { tag: 'localhost/request-guard/e2e:none', dockerfile, artefacts: [], sources: [], arguments: {} };
  const lines: string[] = [];
  const building = { signal: new AbortController().signal, onLine: (line: string) => void lines.push(line) };
  await assert.rejects(ensureImage(made, containers, building), (error: ExternalError) => {
    assert.equal(error.exitCode, 3);
    assert.equal(error.message, 'building the sandbox image failed');
    assert.match(error.failed.output ?? '', /COPY absent[\s\S]*absent.*(?:not exist|no such file|not found)/);
    return true;
  });
  assert.ok(lines.length > 1);
});

test('kill -9 leaves nothing', { skip }, async (t) => {
  const port = await freePort();
  const running = start(t, [
    'sandbox',
    'caddy',
    temporaryFile('guard.json', clean),
    '--isolated',
    '--port',
    String(port),
  ]);
  await running.says('serving on');
  const session = await sessionOn(port);
  assert.equal((await networksOf(session)).length, 1);
  running.child.kill('SIGKILL');
  await untilGone(port);
  await until(async () => (await networksOf(session)).length === 0, 'its network to go');
});
