import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import type { SandboxResult } from '../../cli/sandbox/session/result.ts';
import { connect, diskFiles } from '../../containers/connect.ts';
import { open } from '../../containers/docker.ts';
import { detachedLabel } from '../../containers/labels.ts';
import { command } from '../../platform/command.ts';
import { until } from '../../platform/testing/until.ts';
import {
  containersOn,
  docker,
  fewProbes,
  freePort,
  hasIpv6,
  run,
  skip,
  start,
  temporaryFile,
} from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';

const clean = { checkQuery: true };
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

test('--test sends the suite, prints a table, and leaves nothing', { skip }, async (t) => {
  const port = await freePort();
  const file = temporaryFile('guard.json', { ...clean, response: { mode: 'json' } });
  const { status, stdout, stderr } = await run(t, ['sandbox', 'proxyb', file, '--test', '--port', String(port)]);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`^Caddy on http://localhost:${port}: PASSED, \\d,\\d{3} probes in `));
  assert.match(stdout, /\nconformance requests +\d,\d{3} +0 +\d+\n/);
  for (const stage of ['looking for a container runtime', 'preparing the image', 'starting the sandbox', 'removing'])
    assert.ok(stderr.includes(stage), stage);
  assert.deepEqual(await containersOn(port), []);
});

test('--test --json is one document with every result, also of a policy too large for a variable', {
  skip,
}, async (t) => {
  const port = await freePort();
  const blockPatterns = Array.from(
    { length: 900 },
    (_, index) => `^/${index}-${Math.random().toString(36).repeat(20)}`,
  );
  const file = temporaryFile('guard.json', { ...clean, blockPatterns });
  const args = ['sandbox', 'caddy', file, '--test', '--json', '--port', String(port)];
  const { status, stdout, stderr } = await run(t, args, fewProbes);
  assert.equal(status, 0, stdout.slice(0, 2000) + stderr);
  const result = JSON.parse(stdout) as SandboxResult;
  assert.ok(result.action === 'tested');
  const { counts, results, bySource } = result.report;
  assert.equal(results.length, counts.passed);
  assert.deepEqual(bySource.specification, { passed: 3, failed: 0, skipped: 0 });
  assert.equal(results.find(({ id }) => id === 'match:env-file')?.ok, true);
});

test('in the foreground events are listed until Ctrl-C, on both loopbacks', { skip }, async (t) => {
  const port = await freePort();
  const running = start(t, ['sandbox', 'caddy', temporaryFile('guard.json', clean), '--port', String(port)]);
  await running.says(`serving on http://localhost:${port}`);
  assert.equal(await statusOf(`http://127.0.0.1:${port}/.env`), 403);
  const other = (await hasIpv6()) ? '[::1]' : '127.0.0.1';
  assert.equal(await statusOf(`http://${other}:${port}/robots.txt`), 200);
  assert.equal(await statusOf(`http://${other}:${port}/.git/config`), 403);
  await running.says(/BLOCKED env-file {2}403 GET \/\.env {2}from /);
  await running.says(/BLOCKED \S+ {2}403 GET \/\.git\/config {2}from /);
  running.child.kill('SIGINT');
  assert.equal(await running.ended, 130);
  assert.match(running.stdout(), /the sandbox is removed; 2 events reported\n$/);
  assert.match(running.stderr(), /interrupted\n$/);
  assert.deepEqual(await containersOn(port), []);
});

test('--detach leaves it running and says how to end it', { skip }, async (t) => {
  const port = await freePort();
  const file = temporaryFile('guard.json', clean);
  const { status, stdout } = await run(t, ['sandbox', 'caddy', file, '--detach', '--port', String(port)]);
  const name = /; guardcli cleanup (\S+) removes it/.exec(stdout)?.[1] ?? '';
  t.after(() => docker('rm', '-f', name));
  assert.equal(status, 0);
  assert.equal(await statusOf(`http://localhost:${port}/.env`), 403);
  assert.equal((await containersOn(port)).length, 1);
  const containers = await connect(process.env, diskFiles, open);
  const listed = (await containers.list('container', detachedLabel)).find((one) => one.name === name);
  assert.deepEqual([listed?.ports, listed?.isRunning], [[port], true]);
  const reading = new AbortController();
  t.after(() => reading.abort());
  const { stdout: lines } = await containers.follow(listed?.id ?? '', 100, reading.signal);
  let text = '';
  lines.on('data', (chunk) => (text += chunk));
  await until(() => text.includes('"rule_id":"env-file"'), 'the event in the log');
});

test('what --dry-run prints works when pasted', { skip }, async (t) => {
  const port = await freePort();
  const file = temporaryFile('guard.json', { blockPatterns: ["^/it's\\$HOME`x`"] });
  const { status, stdout } = await run(t, ['sandbox', 'caddy', file, '--dry-run', '--port', String(port)]);
  assert.equal(status, 0);
  assert.deepEqual(await containersOn(port), []);
  const printed = await command('sh', ['-c', stdout]);
  const id = printed.trim().split('\n').at(-1) ?? '';
  t.after(() => docker('rm', '-f', id));
  await until(
    () =>
      statusOf(`http://127.0.0.1:${port}/`).then(
        (got) => got === 200,
        () => false,
      ),
    'the pasted sandbox to serve',
  );
  assert.equal(await statusOf(`http://127.0.0.1:${port}/.env`), 403);
  assert.equal(await statusOf(`http://127.0.0.1:${port}/it's$HOME%60x%60`), 403);
});

test('--upstream takes a backend of the user’s', { skip }, async (t) => {
  const backend = createServer((_, answer) => answer.writeHead(418).end('short and stout'));
  const behind = await listen(t, backend, '0.0.0.0');
  const port = await freePort();
  const upstream = `http://localhost:${behind}`;
  const file = temporaryFile('guard.json', clean);
  const running = start(t, ['sandbox', 'caddy', file, '--upstream', upstream, '--port', String(port)]);
  await running.says('serving on');
  const answer = await fetch(`http://127.0.0.1:${port}/tea`);
  assert.deepEqual([answer.status, await answer.text()], [418, 'short and stout']);
  assert.equal(await statusOf(`http://127.0.0.1:${port}/.env`), 403);
  assert.match(running.stderr(), /note: the proxy reaches the upstream as host\.docker\.internal/);
  running.child.kill('SIGINT');
  await running.ended;
});

test('an allow list that holds the sandbox’s view of this machine is noticed', { skip }, async (t) => {
  const port = await freePort();
  const file = temporaryFile('guard.json', { allowedIps: ['0.0.0.0/0'] });
  const args = ['sandbox', 'caddy', file, '--test', '--port', String(port)];
  const { status, stdout, stderr } = await run(t, args, fewProbes);
  assert.match(stderr, /note: allowedIps holds [\d.]+, the client address of this machine in the sandbox/);
  assert.match(stdout, /skipped \d+: allowedIps holds/);
  assert.equal(status, 0);
});
