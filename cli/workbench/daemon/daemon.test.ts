import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BanRecord } from '../../../contract/api/records.ts';
import {
  echo,
  guardedService,
  start,
  startUpstream,
  temporaryFolder,
  testFile,
} from '../../../daemon/testing/daemon.ts';
import { UsageError } from '../../../platform/errors.ts';
import { until } from '../../../platform/testing/until.ts';
import { curlLine, type DaemonEvent, parseAddress } from '../../daemon/client.ts';
import { createEventParser } from '../../daemon/event-stream.ts';
import { testWorld } from '../testing/world.ts';
import { banOf, undoOf } from './change.ts';
import { DaemonLink } from './link.ts';
import { keptEvents } from './state.ts';

const event: DaemonEvent = {
  ...{ type: 'security_event', timestamp: '2026-01-02T03:04:05.678Z', service: 'ssh', protocol: 'ssh' },
  ...{ client_ip: '192.0.2.1', client_port: 1, country_code: '', action: 'blocked', reason: 'rate_limit' },
  ...{ bytes_in: 0, bytes_out: 0, duration_ms: 0 },
};

const streams: readonly (readonly [name: string, chunks: readonly string[], data: readonly string[], id: string])[] = [
  ['one event', ['id: a-1\nevent: security_event\ndata: {"x":1}\n\n'], ['{"x":1}'], 'a-1'],
  ['cut anywhere', ['i', 'd: a-1\nda', 'ta: x', '\n', '\n'], ['x'], 'a-1'],
  ['CR LF', ['data: x\r\n\r\ndata: y\r\n\r', '\n'], ['x', 'y'], ''],
  ['several lines of data', ['data: x\ndata: y\n\n'], ['x\ny'], ''],
  ['comments and other fields', [': beat\nretry: 5\n\ndata:x\n\n'], ['x'], ''],
  ['an incomplete event', ['data: x\n'], [], ''],
];

for (const [name, chunks, data, id] of streams)
  test(`reads server-sent events: ${name}`, () => {
    const found: string[] = [];
    const parser = createEventParser((one) => found.push(one));
    for (const chunk of chunks) parser.push(chunk);
    assert.deepEqual([found, parser.lastId()], [data, id]);
  });

test('bounds a line without an end', () => {
  const found: string[] = [];
  const parser = createEventParser((one) => found.push(one));
  for (let count = 0; count < 64; count += 1) parser.push('x'.repeat(64 * 1024));
  parser.push('\n\ndata: y\n\n');
  assert.deepEqual(found, ['y']);
});

test('bounds the data of one event, and the number of its lines', () => {
  const found: string[] = [];
  const parser = createEventParser((one) => found.push(one));
  parser.push(`${'data:\n'.repeat(1_000_000)}\ndata: y\n\n`);
  assert.deepEqual(found, ['\n'.repeat(256 * 1024 - 1), 'y']);
});

test('reads addresses, and refuses others with what to write', () => {
  assert.deepEqual(parseAddress('unix:///run/guard/api.sock'), { kind: 'unix', path: '/run/guard/api.sock' });
  assert.equal(parseAddress('http://[::1]:9091').kind, 'http');
  const bads = ['127.0.0.1:9091', 'https://x', 'unix:relative', 'http://x/api', ''];
  for (const bad of [...bads, 'http://user:word@localhost:9091', 'http://localhost:9091/#x'])
    assert.throws(() => parseAddress(bad), UsageError, bad);
});

test('the curl line names the token by its variable', () => {
  assert.equal(
    curlLine(parseAddress('unix:///a b'), true, '/ban', { ip: '::1' }),
    `curl --unix-socket '/a b' -H "Authorization: Bearer $GUARD_API_TOKEN" --json '{"ip":"::1"}' http://guard/ban`,
  );
});

test('keeps a bounded number of events and filters them by words', () => {
  const made = testWorld();
  made.dispatch({ kind: 'screen', name: 'daemon' });
  for (let count = 0; count < keptEvents + 10; count += 1) made.dispatch({ kind: 'daemon.event', event });
  made.dispatch({ kind: 'daemon.event', event: { ...event, service: 'smtp\u001b[2J', reason: 'ban' } });
  assert.equal(made.state().daemon.events.length, keptEvents);
  made.keys('/');
  made.type('smtp');
  const text = made.draw();
  assert.match(text, /\/ smtp\n03:04:05 blocked smtp\\x1b\[2J ban from 192\.0\.2\.1\n/);
  assert.doesNotMatch(text, /rate_limit/);
});

test('ban without an address opens the palette for one', () => {
  const made = testWorld();
  made.dispatch({ kind: 'screen', name: 'daemon' });
  made.keys('b');
  assert.match(made.draw(), /: ban\s+ban <address> \[duration\] \[reason\]/);
});

const record = (ip: string, remaining: string): BanRecord => ({
  ...{ ip, reason: 'scanner', service: null, origin: 'api', banned_at: null, expires_at: null, remaining },
});

const typedBans: readonly (readonly [argument: string, body: object | undefined])[] = [
  ['', undefined],
  ['192.0.2.1', { ip: '192.0.2.1' }],
  ['192.0.2.1 1h', { ip: '192.0.2.1', duration: '1h' }],
  ['192.0.2.1 permanent', { ip: '192.0.2.1', duration: 'permanent' }],
  ['192.0.2.1 1h  guesses  passwords', { ip: '192.0.2.1', duration: '1h', reason: 'guesses passwords' }],
  ['192.0.2.1 guesses passwords', { ip: '192.0.2.1', reason: 'guesses passwords' }],
];
for (const [argument, body] of typedBans)
  test(`reads the ban ${JSON.stringify(argument)}`, () => assert.deepEqual(banOf(argument)?.body, body));

test('undoes a change with the bans from before it', () => {
  const bans = [record('192.0.2.1', '59m'), record('2001:db8::/64', 'permanent')];
  const [ip, other] = ['192.0.2.1', '2001:db8:0:0::/64'];
  const again = { path: '/ban', body: { ip, duration: '59m', reason: 'scanner', replace: true } };
  assert.deepEqual(undoOf({ path: '/unban', body: { ip } }, bans), again);
  assert.deepEqual(undoOf({ path: '/ban', body: { ip } }, bans), again);
  assert.equal(undoOf({ path: '/unban', body: { ip: other } }, bans)?.body.ip, '2001:db8::/64');
  assert.deepEqual(undoOf({ path: '/ban', body: { ip } }, []), { path: '/unban', body: { ip } });
  assert.equal(undoOf({ path: '/unban', body: { ip } }, []), undefined);
});

test('shows a real daemon over its socket: services, bans, events; bans and unbans', async (t) => {
  const { port } = await startUpstream(t, echo);
  const folder = temporaryFolder();
  const socket = join(folder, 'api.sock');
  const file = testFile(folder, { version: 1, services: { web: guardedService(port, { protocol: 'generic' }) } });
  const { daemon, dial } = await start(t, { ...file, api: { listen: '', socket } });
  const made = testWorld();
  made.dispatch({ kind: 'screen', name: 'daemon' });
  const link = new DaemonLink(made.world.store, parseAddress(`unix://${socket}`), undefined);
  t.after(() => link.close());
  Object.assign(made.world, { daemon: link });
  link.open();
  await until(() => made.state().daemon.snapshot !== undefined, 'a snapshot');
  assert.match(made.draw(140, 39), /(ok|degraded) {2}tcp-guard [\s\S]*web +generic +0 open/);
  dial('web').end('x');
  await until(() => made.state().daemon.events.some((one) => one.event.action === 'allowed'), 'an event');
  made.keys(':');
  made.type('ban 203.0.113.7 1h scans for wp-login');
  made.keys('enter');
  await until(() => made.state().daemon.snapshot?.bans[0]?.ip === '203.0.113.7', 'the ban');
  assert.match(made.draw(140, 39), /1 ban [\s\S]*203\.0\.113\.7 +(1h|59m)/);
  assert.match(made.draw(80, 24), /\n1 ban /, 'a narrow terminal shows bans before it shows events');
  made.keys('e');
  assert.match(made.draw(80, 24), /\n\d+ events? /);
  assert.match(
    made.draw(200, 39),
    /\n\$ curl .*--json '\{"ip":"203\.0\.113\.7","duration":"1h","reason":"scans for wp-login"\}' http:\/\/guard\/ban\n/,
  );
  made.keys('u');
  assert.match(made.draw(), /\nUnban 203\.0\.113\.7\? y: yes, n: no\n.*\ny yes {2}n no$/);
  made.keys('n', 'u', 'y');
  await until(() => made.state().daemon.snapshot?.bans.length === 0, 'no ban');
  made.keys('z');
  await until(() => made.state().daemon.snapshot?.bans[0]?.reason === 'scans for wp-login', 'the ban again');
  assert.match(made.draw(140, 39), /203\.0\.113\.7 +(1h|59m).*scans for wp-login/);
  made.keys('u', 'y');
  await until(() => made.state().daemon.snapshot?.bans.length === 0, 'no ban');
  await link.change({ path: '/ban', body: { ip: 'nonsense' } });
  assert.equal(made.state().notice?.isError, true);
  await daemon.close(0);
  await until(() => made.state().daemon.lostReason !== undefined, 'the lost daemon');
  const text = made.draw(140, 39);
  assert.match(text, /no tcp-guard responds at [\s\S]*web +generic/);
});
