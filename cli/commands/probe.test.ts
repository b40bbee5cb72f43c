import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSilentServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { SuiteResult } from '../suite/result.ts';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';

/** Headers of the response of the default policy to a blocked request. */
const blocked = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Starts a server that blocks /.env as the default policy does, and no other path. */
async function serve(t: TestContext): Promise<string> {
  const server = createServer(({ url }, response) => {
    if (url === '/.env') response.writeHead(403, blocked).end('403 Forbidden\n');
    else response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const one = (name: string, request: object, expect: object) => ({ name, request, expect });

async function probe(url: string, cases: readonly object[], ...argv: string[]) {
  const cwd = scratch({ 'guard.json': '{}', 'cases.yaml': JSON.stringify({ cases }) });
  const words = ['probe', url, '--suite', 'cases.yaml', '--json', ...argv];
  const { status, stdout, stderr } = await runCaptured(words, { cwd });
  const result = stdout === '' ? undefined : (JSON.parse(stdout) as SuiteResult);
  const rows = result?.results.map((row) => [
    row.name,
    row.status,
    ...(row.problems ?? []),
    ...(row.reason ? [row.reason] : []),
  ]);
  return { status, rows, stderr, result };
}

test('says before it sends a request that the server may ban this address, unless it is this machine', async (t) => {
  const cwd = scratch({ 'guard.json': '{}', 'cases.yaml': JSON.stringify({ cases: [one('x', { path: '/' }, {})] }) });
  const noteOf = async (url: string) =>
    (await runCaptured(['probe', url, '--suite', 'cases.yaml'], { cwd })).stderr.includes('global.never_ban');
  assert.equal(await noteOf('http://guard.invalid'), true);
  assert.equal(await noteOf(await serve(t)), false);
});

test('compares responses with those of the policy', async (t) => {
  const cases = [
    one('blocked', { path: '/.env' }, { verdict: 'blocked', rule: 'env-file', status: 403 }),
    one('not blocked there', { path: '/.git/config' }, { verdict: 'blocked' }),
    one('allowed', { path: '/ok' }, { verdict: 'allowed', status: 204 }),
    one('another status', { path: '/ok' }, { verdict: 'allowed', status: 200 }),
    one('blocked there', { path: '/.env', method: 'PUT' }, { verdict: 'allowed' }),
  ];
  const { status, rows } = await probe(await serve(t), cases);
  assert.deepEqual(rows, [
    ['blocked', 'passed'],
    ['not blocked there', 'failed', 'status 204, expected 403'],
    ['allowed', 'passed'],
    ['another status', 'failed', 'status 204, expected 200 from the backend'],
    ['blocked there', 'failed', 'the response is that of a blocked request'],
  ]);
  assert.equal(status, 1);
});

test('compares rule, reason and target with the verdict of the engine', async (t) => {
  const cases = [one('x', { path: '/.env' }, { rule: 'git-dir', target: 'path' })];
  const { result } = await probe(await serve(t), cases);
  assert.deepEqual(result?.results[0]?.differences, [{ key: 'rule', expected: 'git-dir', got: 'env-file' }]);
  assert.equal(result?.ok, false);
});

test('skips what it cannot send or know, with the reason', async (t) => {
  const cases = [
    one('ip', { path: '/.env', ip: '192.0.2.1' }, { verdict: 'blocked' }),
    one('header', { headers: { 'User-Agent': 'x' } }, { verdict: 'allowed' }),
    one('refused', { path: '/a#b' }, { verdict: 'refused' }),
    { ...one('other', { path: '/.env' }, { verdict: 'blocked' }), policies: ['other.json'] },
    one('sent', { headers: { Host: 'a.example' } }, { verdict: 'allowed' }),
  ];
  const cwd = scratch({
    'guard.json': '{}',
    'other.json': '{"mode":"detect"}',
    'cases.yaml': JSON.stringify({ cases }),
  });
  const words = ['probe', await serve(t), '--suite', 'cases.yaml'];
  const { stdout, status } = await runCaptured([...words, '--json', '-c', 'guard.json'], { cwd });
  assert.deepEqual(
    (JSON.parse(stdout) as SuiteResult).results.map((row) => row.reason ?? row.status),
    [
      'its ip cannot be sent: trustedProxies does not contain this machine',
      'a header belongs to the probe',
      'verdict refused needs --proxy',
      'it is for another policy than the server runs',
      'passed',
    ],
  );
  assert.equal(status, 0);
  const { stderr } = await runCaptured(words, { cwd });
  assert.match(stderr, /cases\.yaml has several policies, and a server runs one/);
});

for (const [argv, status, message] of [
  [['probe', 'http://localhost'], 2, /probe needs --suite/],
  [['probe', 'http://localhost/x', '--suite', 'x'], 2, /the url is "http:\/\/localhost\/x"/],
  [['probe', 'ftp://localhost', '--suite', 'x'], 2, /the url is/],
  [['sandbox', 'caddy', '--suite', 'x', '--test'], 2, /--suite and --test are mutually exclusive/],
  [['sandbox', 'tcp', '--suite', 'x'], 2, /tcp-guard and --suite are mutually exclusive/],
  [['sandbox', 'caddy', '--only', 'x'], 2, /--only needs --suite/],
] as const) {
  test(`refuses ${argv.join(' ')}`, async () => {
    const captured = await runCaptured(argv);
    assert.equal(captured.status, status);
    assert.match(captured.stderr, message);
  });
}

test('reports a server that cannot be reached once', async () => {
  const { status, stderr } = await probe('http://127.0.0.1:1', [one('x', {}, { verdict: 'allowed' })]);
  assert.equal(status, 3);
  assert.match(stderr, /"code": "unreachable"/);
});

test('ends a TLS handshake that the server does not continue', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const server = createSilentServer((socket) => void t.after(() => socket.destroy())).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const running = probe(url, [one('any', { path: '/' }, { verdict: 'allowed' })]);
  await once(server, 'connection');
  t.mock.timers.tick(15_000);
  const turns = async () => {
    for (let left = 10_000; left > 0; left -= 1) await new Promise((resolve) => void setImmediate(resolve));
  };
  const ended = await Promise.race([running, turns()]);
  assert.equal(ended?.status, 3);
  assert.match(ended.stderr, /cannot connect to https:[\s\S]*no response in 15000 ms/);
});
