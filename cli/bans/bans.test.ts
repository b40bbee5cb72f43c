import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext, test } from 'node:test';
import { start, temporaryFolder } from '../../daemon/testing/daemon.ts';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { type Captured, runCaptured, type Setting } from '../testing/captured.ts';
import { listTexts } from './text.ts';

/** Starts a daemon with a socket, and returns a function that runs `guardcli bans` against it. */
async function running(t: TestContext) {
  const folder = temporaryFolder();
  const socket = join(folder, 'api.sock');
  const { daemon } = await start(t, { api: { listen: '', socket }, services: {} }, { folder });
  const bans = (args: string, setting: Setting = {}): Promise<Captured> =>
    runCaptured(['bans', ...args.split(' '), '--daemon', `unix://${socket}`], setting);
  const why = (address: string) => runCaptured(['why', address, '--daemon', `unix://${socket}`]);
  return { daemon, bans, why };
}

describe('guardcli bans', () => {
  it('adds, lists and deletes bans', async (t) => {
    const { bans } = await running(t);
    assert.deepEqual(await bans('list'), { status: 0, stdout: 'no bans\n', stderr: '' });
    const added = await runBoth(bans, 'add --ip 192.0.2.7 --duration 4h --reason scanner');
    assert.match(added, /^192\.0\.2\.7 is banned for (?:4h|3h59m\S*) \(api\): scanner\n$/);
    assert.match(await runBoth(bans, 'add --range 198.51.100.0/24 --duration permanent'), /is banned permanently/);
    const { bans: listed, more } = JSON.parse(await runBoth(bans, 'list --json'));
    assert.deepEqual([listed.map(({ ip }: { ip: string }) => ip), more], [['192.0.2.7', '198.51.100.0/24'], false]);
    assert.match(
      await runBoth(bans, 'list'),
      /^address +expires in +origin +service +reason\n192\.0\.2\.7 +\S+ +api +- +scanner\n/,
    );
    assert.match(await runBoth(bans, 'list --ip 198.51.100.9'), /^address .*\n198\.51\.100\.0\/24 .*\n$/);
    assert.match(
      await runBoth(bans, 'add --ip 192.0.2.7 --duration 5m'),
      /is banned for (?:4h|3h59m\S*) .*\nan earlier ban lasts longer and stays; --replace replaces it\n$/,
    );
    assert.equal(await runBoth(bans, 'delete --ip 192.0.2.7'), '192.0.2.7 is no longer banned: scanner\n');
    await bans('add --ip 198.51.100.9');
    const { stdout, stderr } = await bans('delete --ip 198.51.100.9');
    assert.match(stdout, /^198\.51\.100\.9 is no longer banned: /);
    assert.equal(stderr, 'note: the ban of 198.51.100.0/24 still covers it\n');
    const again = await bans('delete --ip 192.0.2.7');
    assert.equal(again.status, 1);
    assert.match(again.stderr, /^error: tcp-guard refused: .*not banned.*guardcli bans list/s);
  });

  it('says when there are more bans than the limit, and reads several pages', async (t) => {
    const { daemon, bans } = await running(t);
    const count = 1001;
    for (let number = 0; number < count; number += 1)
      await daemon.bans.add({ ip: `10.0.${number >> 8}.${number & 255}`, reason: 'x', origin: 'api' } as never);
    const few = await bans('list --limit 3');
    assert.equal(few.stdout.trim().split('\n').length, 1 + 3);
    assert.match(few.stderr, /the first 3 bans; --limit lists more/);
    const { bans: all, more } = JSON.parse((await bans('list --limit 5000 --json')).stdout);
    assert.deepEqual([all.length, more], [count, false]);
  });

  it('prints bans as they happen, until it is interrupted', async (t) => {
    const { bans } = await running(t);
    const ending = new AbortController();
    const lines: string[] = [];
    const watching = bans('watch --json', { signal: ending.signal, onStdout: (text) => lines.push(text) });
    await until(async () => {
      await bans('add --ip 192.0.2.7 --reason first');
      return lines.length > 0;
    });
    await bans('delete --ip 192.0.2.7');
    await until(() => lines.some((line) => line.includes('"unbanned"')));
    ending.abort();
    assert.equal((await watching).status, 0);
    const { action, client_ip, reason } = JSON.parse(lines[0] ?? '');
    assert.deepEqual([action, client_ip, reason], ['banned', '192.0.2.7', 'first']);
  });
});

test('guardcli bans lists the evidence of a ban below it, and says what is only detected', async (t) => {
  const folder = temporaryFolder();
  const socket = join(folder, 'api.sock');
  const sections = { api: { listen: '', socket }, services: {}, bans: { mode: 'detect' as const } };
  const { daemon } = await start(t, sections, { folder });
  const request = { reason: 'logs: 5 failed logins in 60s', origin: 'intake', isAutomatic: true } as const;
  const lines = ['first', `Failed password\u001b[2J${'x'.repeat(200)}`];
  await daemon.bans.add({ ip: '192.0.2.7', evidence: lines, ...request });
  const list = (...args: string[]) => runCaptured(['bans', 'list', ...args, '--daemon', `unix://${socket}`]);
  const ban = String.raw`192\.0\.2\.7 .* in 60s \(detected, not banned\)\n`;
  const last = String.raw` {4}Failed password\\x1b\[2J`;
  assert.match((await list()).stdout, new RegExp(`^${ban}${last}x{70,90}\\.\\.\\.\n$`, 'm'));
  assert.match((await list('--ip', '192.0.2.7')).stdout, new RegExp(`^${ban} {4}first\n${last}x{200}\n$`, 'm'));
});

test('guardcli bans list has the packets that the firewall dropped, where it counts them', () => {
  const ban = { ...{ ip: '192.0.2.7', reason: 'x', service: null, origin: 'api' as const }, banned_at: null };
  const bans = [1234, undefined].map((packets) => ({
    ...{ ...ban, expires_at: null, remaining: '4h' },
    ...(packets !== undefined && { packets }),
  }));
  assert.deepEqual(listTexts({ bans }, (_, text) => text, false)[0]?.split('\n'), [
    'address    expires in  packets  origin  service  reason',
    '192.0.2.7  4h            1,234  api     -        x',
    '192.0.2.7  4h                -  api     -        x',
  ]);
});

test('guardcli bans list --sources has what became of the lines of each source', async (t) => {
  const folder = temporaryFolder();
  const [socket, file] = [join(folder, 'api.sock'), join(folder, 'auth.log')];
  writeFileSync(file, '');
  const intake = [{ file, format: 'sshd' as const }];
  await start(t, { api: { listen: '', socket }, services: {}, intake } as never, { folder });
  appendFileSync(
    file,
    'Failed password for a from 198.51.100.7 port 1 ssh2\nFailed password for a from ::1 port 1 ssh2\nx\n',
  );
  const list = (args: string) => runCaptured(['bans', 'list', ...args.split(' '), '--daemon', `unix://${socket}`]);
  await until(async () => JSON.parse((await list('--sources --json')).stdout).sources[0].lines === 3);
  const { stdout } = await list('--sources');
  assert.match(
    stdout,
    /^no bans\n\nsource +format +lines +counted +ignored +exempt +late +without client +unread bytes\n/,
  );
  assert.match(stdout, /\n\S+auth\.log +sshd +3 +1 +1 +1 +0 +0 +0\n$/);
  assert.equal('sources' in JSON.parse((await list('--json')).stdout), false);
});

test('exempts an address for a time, and shows it in the list', async (t) => {
  const { bans } = await running(t);
  await bans('add --ip 192.0.2.7 --reason scanner');
  assert.match(
    await runBoth(bans, 'allow 192.0.2.0/28 --for 2h --reason maintenance'),
    /^192\.0\.2\.0\/28 is exempt for 2h: maintenance\n$/,
  );
  assert.match(
    await runBoth(bans, 'list'),
    /scanner\n\nexempt +expires in +reason\n192\.0\.2\.0\/28 +\S+ +maintenance\n$/,
  );
  assert.match(await runBoth(bans, 'list --ip 192.0.2.7'), /\nexempt /);
  assert.doesNotMatch(await runBoth(bans, 'list --ip 192.0.2.77'), /exempt/);
  assert.equal((await bans('add --ip 192.0.2.8')).status, 1);
  assert.match(await runBoth(bans, 'allow 192.0.2.0/28 --end'), /no longer exempt/);
  assert.equal((await bans('allow 192.0.2.0/28 --end')).status, 1);
  assert.match(await runBoth(bans, 'add --ip 192.0.2.8'), /is banned/);
});

test('says what decides on an address, and what lifts it', async (t) => {
  const { bans, why } = await running(t);
  assert.match((await why('192.0.2.7')).stdout, /^192\.0\.2\.7 not refused\n$/);
  await bans('add --range 192.0.2.0/24 --reason scanner');
  const refused = (await why('192.0.2.7')).stdout;
  assert.match(refused, /^192\.0\.2\.7 refused\n +ban +192\.0\.2\.0\/24 for \S+ \(api\): scanner\n/);
  assert.match(refused, /\nTo lift it:\n {2}guardcli bans delete --range 192\.0\.2\.0\/24 --daemon unix:\/\/\S+\n$/);
  await bans('allow 192.0.2.7 --for 2h --reason x');
  assert.match((await why('192.0.2.7')).stdout, / exempt\n +ban .*\n +exemption +192\.0\.2\.7 for \S+: x\n$/);
  assert.match((await why('104.16.0.1')).stdout, /preset +cloudflare/);
  assert.match((await why('127.0.0.1')).stdout, /address of this host/);
  assert.equal((await why('192.0.2.300')).status, 2);
});

test('imports what it exports, with reasons and ends', async (t) => {
  const { bans } = await running(t);
  await bans('add --ip 192.0.2.7 --duration 4h --reason scanner');
  await bans('add --range 2001:db8::/64 --duration permanent --reason y');
  assert.equal(await runBoth(bans, 'export'), '192.0.2.7\n2001:db8::/64\n');
  const exported = await runBoth(bans, 'export --format json');
  const { bans: other } = await running(t);
  const { stdout } = await other('import -', { stdin: exported });
  assert.equal(stdout, '2 addresses and networks are banned\n');
  assert.match(
    await runBoth(other, 'list'),
    /192\.0\.2\.7 +(?:4h|3h59m\S*) +api +- +scanner\n2001:db8::\/64 +permanent +api +- +y\n$/,
  );
});

test('an import bans no private network, which block lists have, but private addresses', async (t) => {
  const { bans } = await running(t);
  const stdin = '10.0.0.0/8\n172.0.0.0/8\nfd00::/32\n10.0.0.7\n198.51.100.0/24\n';
  const { stdout, stderr } = await bans('import - --duration 1d', { stdin });
  assert.equal(stdout, '2 addresses and networks are banned\n');
  assert.match(stderr, /^3 were refused: private_network$/m);
});

test('an import counts what it does not ban', async (t) => {
  const { bans } = await running(t);
  const { status, stdout, stderr } = await bans('import - --duration 1d', {
    stdin: '127.0.0.1\n192.0.2.1\n<html>\n32.0.0.0/4\n',
  });
  assert.deepEqual([status, stdout], [0, '1 address or network is banned\n']);
  assert.equal(stderr, '1 row is not an address or a network\n1 was refused: never_ban\n1 was refused: bad_address\n');
  for (const stdin of ['<html>\n', '127.0.0.1\n']) assert.equal((await bans('import -', { stdin })).status, 1, stdin);
  assert.equal((await bans('import -', { stdin: '# nothing listed\n' })).status, 0);
});

test('an import of hostile reasons bans with printable ones, and counts rows whose members are not texts', async (t) => {
  const { bans } = await running(t);
  const rows = [
    { ip: '203.0.113.1', reason: 'a\u001b[2J\u009b2Jb\u2028c' },
    { ip: '203.0.113.2', reason: '\u{1f600}'.repeat(300) },
    { ip: '203.0.113.3', reason: `${'x'.repeat(399)}\u{1f600}` },
    { ip: '203.0.113.4', reason: { toString: 1 }, expires_at: { toString: 1 } },
    { ip: { toString: 1 } },
    null,
  ];
  const { status, stderr } = await bans('import -', { stdin: JSON.stringify({ bans: rows }) });
  assert.deepEqual([status, stderr], [0, '2 rows are not an address or a network\n']);
  const { bans: listed } = JSON.parse((await bans('list --json')).stdout);
  assert.deepEqual(
    listed.map(({ reason }: { reason: string }) => reason.slice(0, 20)),
    ['a [2J 2Jb c', '\u{1f600}'.repeat(10), 'x'.repeat(20), 'imported from -'],
  );
});

test('says why an address of this host is not banned', async (t) => {
  const { bans } = await running(t);
  const { status, stderr } = await bans('add --ip 127.0.0.1');
  assert.equal(status, 1);
  assert.match(stderr, /in `global\.never_ban`, is exempt for a time, or belongs to this host/);
});

async function runBoth(bans: (args: string) => Promise<Captured>, args: string): Promise<string> {
  const { status, stdout, stderr } = await bans(args);
  assert.deepEqual([status, stderr], [0, ''], args);
  return stdout;
}

const refused: Readonly<Record<string, RegExp>> = {
  'add --reason x': /no address.*--ip 192\.0\.2\.7/s,
  'add --ip 192.0.2.0/24': /--ip is .*--range/s,
  'add --range 192.0.2.7': /--range is .*--ip/s,
  'add --ip 192.0.2.7 --range 192.0.2.0/24': /mutually exclusive/,
  'add --ip 300.0.0.1': /--ip is "300\.0\.0\.1": expected/,
  'add --range 192.0.2.0/99': /--range is "192\.0\.2\.0\/99": expected/,
  'add --ip 192.0.2.7 --duration 4y': /--duration is "4y": expected a duration such as/,
  'list --ip x\u001b[31m': /--ip is "x\\u001b\[31m"/,
  'allow 192.0.2.7': /needs an end.*never_ban/s,
  'allow 192.0.2.7 --for permanent': /--for is "permanent": expected a duration/,
  'allow host.example --for 2h': /the address is "host\.example"/,
  'allow 192.0.2.7 --for 2h --end': /mutually exclusive/,
  'import nowhere.txt': /no such file/,
  'list --limit 0': /--limit is "0"/,
  'list --origin local --daemon localhost:9091': /is not an address of the management API/,
};

for (const [args, message] of Object.entries(refused))
  test(`refuses ${JSON.stringify(args)} with status 2`, async () => {
    const { status, stderr } = await runCaptured(['bans', ...args.split(' ')]);
    assert.equal(status, 2, stderr);
    assert.match(stderr, message);
  });

test('without a daemon it fails with status 3 and the next step', async () => {
  const absent = [`http://127.0.0.1:${await freePort()}`, 'unix:///nowhere/api.sock'];
  for (const address of absent)
    for (const subcommand of ['list', 'watch']) {
      const { status, stderr } = await runCaptured(['bans', subcommand, '--daemon', address]);
      assert.equal(status, 3);
      assert.match(stderr, /does not respond: (?:connection refused|no such socket).*--daemon/s);
    }
});

test('sends the token, and says how to set it when it is wrong', async (t) => {
  const port = await freePort();
  await start(t, { api: { listen: `127.0.0.1:${port}`, auth_token: 'a-long-token-0123456789' }, services: {} });
  const list = (env: Setting['env'] = {}) =>
    runCaptured(['bans', 'list', '--daemon', `http://127.0.0.1:${port}`], { env });
  assert.equal((await list({ GUARD_API_TOKEN: 'a-long-token-0123456789' })).status, 0);
  for (const env of [{}, { GUARD_API_TOKEN: 'wrong' }]) {
    const { status, stderr } = await list(env);
    assert.equal(status, 1);
    assert.match(stderr, /Set GUARD_API_TOKEN to api\.auth_token/);
  }
});

const hostile = '\u001b[2J\u009b31m\u202e';
const ban = { ip: hostile, reason: hostile, service: hostile, origin: 'api', banned_at: null, expires_at: null };
const bodies: readonly (readonly [status: number, body: string])[] = [
  ...([200, 404, 500] as const).map((status) => [status, hostile] as const),
  ...([
    [200, 'null'],
    [200, '{"bans":5}'],
    [200, `{"bans":[${'9'.repeat(5_000_000)}]}`],
  ] as const),
  [400, JSON.stringify({ error: { code: 'bad_query', message: hostile } })],
  [200, JSON.stringify({ bans: [{ ...ban, remaining: hostile }] })],
];

test('reports a lifted ban also when the daemon stops before it is asked for others', async (t) => {
  const lifted = { ...ban, ip: '192.0.2.7', reason: 'scanner', remaining: '4h' };
  const server = createServer(({ url }, response) => {
    if (url === '/unban') response.end(JSON.stringify(lifted));
    else response.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ended = await runCaptured(['bans', 'delete', '--ip', '192.0.2.7', '--daemon', `http://127.0.0.1:${port}`]);
  assert.deepEqual(ended, { status: 0, stdout: '192.0.2.7 is no longer banned: scanner\n', stderr: '' });
});

test('says that a response is late, before and after its first bytes', async (t) => {
  const server = createServer(({ url }, response) => {
    if (url?.startsWith('/why')) response.write('{');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const calls = ['bans list', 'why 192.0.2.7'].map((args) =>
    runCaptured([...args.split(' '), '--daemon', `http://127.0.0.1:${port}`]),
  );
  for (const { status, stderr } of await Promise.all(calls))
    assert.deepEqual([status, /does not respond: no response within 5 s\./.test(stderr)], [3, true], stderr);
});

test('a response that switches protocols is refused', async (t) => {
  const server = createServer(({ socket }) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const { status, stderr } = await runCaptured(['bans', 'list', '--daemon', `http://127.0.0.1:${port}`]);
  assert.deepEqual([status, /does not respond: status 101\./.test(stderr)], [3, true], stderr);
});

test('prints nothing raw from another program at the address, and never throws', async (t) => {
  let [status, body] = [200, ''];
  const send: RequestListener = (_request, response) => response.writeHead(status).end(body);
  const server = createServer(send);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for ([status, body] of bodies)
    for (const args of ['list', 'add --ip 192.0.2.7', 'watch']) {
      if (args === 'watch' && status === 200) continue;
      const ended = await runCaptured(['bans', ...args.split(' '), '--daemon', `http://127.0.0.1:${port}`]);
      assert.match(ended.stdout + ended.stderr, /^[\x20-\x7e\n]+$/);
      assert.equal(ended.stderr.includes('bug'), false, ended.stderr);
    }
});
