import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { configuration, temporaryFolder, testFile } from '../testing/daemon.ts';
import { readAvailable } from '../testing/pipe.ts';
import type { AuditAction, AuditEvent } from './event.ts';
import { createAudit } from './index.ts';

const actions: readonly AuditAction[] = ['allowed', 'auth_failure', 'blocked', 'banned', 'unbanned', 'detected'];

const event = (changes: Partial<AuditEvent> = {}): AuditEvent => ({
  type: 'security_event',
  timestamp: '2026-01-01T00:00:00.000Z',
  service: 'ssh',
  protocol: 'ssh',
  client_ip: '192.0.2.1',
  client_port: 4000,
  country_code: '',
  action: 'allowed',
  reason: 'closed',
  bytes_in: 1,
  bytes_out: 2,
  duration_ms: 3,
  facts: { version: '2.0' },
  ...changes,
});

function audit(global: Partial<Daemon['global']> = {}) {
  const folder = temporaryFolder();
  const config = configuration(testFile(folder, { global }));
  const path = config.global.log_file;
  const lines = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { ...createAudit({ config, now: () => 0 }), folder, path, lines, config };
}

const expected = {
  debug: [...actions, 'fault'],
  info: [...actions, 'fault'],
  warn: ['auth_failure', 'blocked'],
  error: ['fault'],
  off: [],
} as const;

for (const [level, wanted] of Object.entries(expected) as [keyof typeof expected, readonly string[]][])
  test(`level ${level} writes ${wanted.join(', ') || 'nothing'}, and subscribers get everything`, async () => {
    const { record, fault, follow, close, lines } = audit({ log_level: level });
    const followed: AuditEvent[] = [];
    follow((record) => followed.push(record));
    for (const action of actions) record(event({ action }));
    fault('out of something');
    await close();
    const written = lines();
    assert.deepEqual(
      written.map(({ action, type }) => action ?? type),
      wanted,
    );
    assert.deepEqual(
      followed.map(({ action }) => action),
      actions,
    );
    const withFacts = written.filter(({ facts }) => facts !== undefined).map(({ action }) => action);
    assert.deepEqual(withFacts, level === 'debug' ? actions : wanted.filter((action) => action === 'blocked'));
  });

/**
 * An audit whose file is full after one more record. The content of the file is a hole, which needs no disk.
 * `prepare` can replace the file before the audit opens it.
 */
async function nearlyFullAudit(prepare: (path: string) => void = () => {}, missing = 10) {
  const { path, config, folder, close } = audit();
  await close();
  truncateSync(path, daemonBounds.auditFileBytes - missing);
  prepare(path);
  const next = createAudit({ config, now: () => 0 });
  const fill = async (): Promise<void> => {
    next.record(event({ client_port: 1 }));
    await until(() => statSync(path).size > daemonBounds.auditFileBytes);
  };
  return { ...next, path, folder, fill };
}

const portIn = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8')).client_port;

test('starts a new file when the file is full', async () => {
  const { path, record, problems, fill, close } = await nearlyFullAudit();
  await fill();
  record(event({ client_port: 2 }));
  await close();
  assert.deepEqual([portIn(path), problems(), statSync(path).mode & 0o777], [2, [], 0o640]);
  assert.ok(statSync(`${path}.1`).size < daemonBounds.auditFileBytes + 1000);
});

test('starts a new file when the file of an earlier run is full', async () => {
  const { path, record, close } = await nearlyFullAudit(() => {}, 0);
  record(event());
  await close();
  assert.equal(portIn(path), 4000);
});

test('reports for an hour that a full file replaced the one before', async (t) => {
  const { path, record, problems, fill, close } = await nearlyFullAudit((path) => writeFileSync(`${path}.1`, 'old\n'));
  await fill();
  record(event());
  await close();
  assert.deepEqual(problems(), [
    `audit: the records of ${path}.1 were replaced by newer ones: rotate the file more often`,
  ]);
  const later = performance.now() + daemonBounds.auditLossMs;
  t.mock.method(performance, 'now', () => later);
  assert.deepEqual(problems(), []);
});

test('a full file that log rotation has renamed keeps its name', async () => {
  const { path, record, fill, close } = await nearlyFullAudit();
  await fill();
  renameSync(path, `${path}-20260101`);
  record(event({ client_port: 2 }));
  await close();
  assert.equal(portIn(path), 2);
  assert.ok(existsSync(`${path}-20260101`) && !existsSync(`${path}.1`));
});

test('a full file behind a symbolic link is renamed in its own folder', async () => {
  const { path, record, fill, close } = await nearlyFullAudit((path) => {
    renameSync(path, `${path}.target`);
    symlinkSync(`${path}.target`, path);
  });
  await fill();
  record(event({ client_port: 2 }));
  await close();
  assert.ok(lstatSync(path).isSymbolicLink() && existsSync(`${path}.target.1`));
  assert.equal(portIn(path), 2);
});

test('a full file that cannot be renamed is a problem, and grows no further', async () => {
  const { path, record, problems, fill, close } = await nearlyFullAudit((path) =>
    mkdirSync(join(`${path}.1`, 'content'), { recursive: true }),
  );
  await fill();
  const { size } = statSync(path);
  record(event());
  await until(() => problems().length > 0);
  assert.match(problems().join(), /^audit: records are not written: E\w+: .*rename/);
  await close();
  assert.equal(statSync(path).size, size);
});

test('escapes client data that would break the line or control a terminal', async () => {
  const { record, close, path, lines } = audit();
  const facts = { user: 'a\n{"type":"x"}\u001b[2J\u009b1m\u202e\u2028' };
  record(event({ facts }));
  await close();
  const text = readFileSync(path, 'utf8');
  assert.equal(text.split('\n').length, 2);
  assert.match(text, /^[\x20-\x7e]+\n$/);
  assert.deepEqual(lines()[0].facts, facts);
});

test('reopens a renamed file without losing a line', async () => {
  const { record, reopen, close, path, lines } = audit();
  record(event({ client_port: 1 }));
  await until(() => existsSync(path) && statSync(path).size > 0);
  renameSync(path, `${path}.1`);
  reopen();
  record(event({ client_port: 2 }));
  await close();
  assert.deepEqual(
    lines().map(({ client_port }) => client_port),
    [2],
  );
  assert.equal(JSON.parse(readFileSync(`${path}.1`, 'utf8')).client_port, 1);
});

test('ends a line that a killed daemon or a full disk cut off', async () => {
  const { close, path, config } = audit();
  await close();
  appendFileSync(path, '{"type":"security_event","timest');
  const next = createAudit({ config, now: () => 0 });
  next.record(event());
  await next.close();
  const [first = '', second = ''] = readFileSync(path, 'utf8').split('\n');
  assert.equal(first, '{"type":"security_event","timest');
  assert.equal(JSON.parse(second).client_port, 4000);
});

test('creates a removed file again without a fault', async () => {
  const { record, close, path, lines } = audit();
  record(event({ client_port: 1 }));
  await until(() => existsSync(path) && statSync(path).size > 0);
  rmSync(path);
  for (let port = 2; !existsSync(path); port++) {
    record(event({ client_port: port }));
    await later(20);
  }
  await close();
  assert.ok(lines().length > 0);
});

test('a full disk is a problem, drops excess records, and recovers', async () => {
  const { record, problems, dropped, configure, config, close, folder } = audit({ log_file: '/dev/full' });
  record(event());
  await until(() => problems().length > 0);
  assert.match(problems()[0] ?? '', /ENOSPC/);
  const long = 'x'.repeat(60_000);
  const most = Math.ceil(daemonBounds.auditQueueBytes / long.length);
  for (let i = 0; i < most + 10; i++) record(event({ facts: { long } }));
  assert.ok(dropped() >= 10);
  const log_file = join(folder, 'elsewhere.jsonl');
  configure({ ...config, global: { ...config.global, log_file } });
  await until(() => !problems().join().includes('ENOSPC'));
  assert.match(problems().join(), /^audit: \d+ records were dropped since the start$/);
  await close();
  const written = readFileSync(log_file, 'utf8').split('\n').filter(Boolean);
  assert.ok(written.length > 60);
  for (const line of written) JSON.parse(line);
});

test('a file that cannot be opened is a problem and stops nothing', async () => {
  const { record, problems, close } = audit({ log_file: '/dev/null/audit.jsonl' });
  record(event());
  await until(() => problems().length > 0);
  await close();
});

/** A pipe without a reader, and an audit that writes to it. */
function auditToPipe() {
  const pipe = join(temporaryFolder(), 'audit.jsonl');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  return { pipe, ...audit({ log_file: pipe }) };
}

test('a pipe without a reader is a problem, and does not hold up another file', async () => {
  const { record, problems, configure, config, close, folder } = auditToPipe();
  record(event());
  await until(() => problems().join().includes('ENXIO'));
  const log_file = join(folder, 'elsewhere.jsonl');
  configure({ ...config, global: { ...config.global, log_file } });
  await until(() => problems().length === 0);
  await close();
  assert.equal(JSON.parse(readFileSync(log_file, 'utf8')).client_port, 4000);
});

test('a pipe whose reader does not read is a problem, and the queue continues when it reads', async (t) => {
  const { pipe, record, problems, close } = auditToPipe();
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  t.after(() => closeSync(reader));
  const long = 'x'.repeat(60_000);
  for (let i = 0; i < 10; i++) record(event({ facts: { long } }));
  await until(() => problems().join().includes('EAGAIN'));
  await until(() => readAvailable(reader) && problems().length === 0);
  await close();
});

test('reports a folder that the system does not make', {
  skip: process.platform !== 'linux' && 'only Linux has /proc',
}, async () => {
  const { record, problems, close } = audit({ log_file: '/proc/none/audit.jsonl' });
  record(event());
  await until(() => problems().join().includes('ENOENT'));
  await close();
});

test('summarizes a flood of one address after its first records', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { record, close, lines } = audit();
  for (let i = 0; i < 1000; i++) record(event({ action: 'blocked', reason: 'ban' }));
  record(event({ action: 'blocked', reason: 'ban', client_ip: '192.0.2.2' }));
  t.mock.timers.tick(daemonBounds.auditFloodMs);
  record(event({ action: 'blocked', reason: 'ban' }));
  await close();
  const sums = lines().filter(({ count }) => count !== undefined);
  assert.deepEqual(
    sums.map(({ count, client_ip }) => [count, client_ip]),
    [[990, '192.0.2.1']],
  );
  assert.equal(lines().length, daemonBounds.auditFloodFirst + 1 + 1 + 1);
});

test('summarizes a flood from changing addresses of one /64', async () => {
  const { record, close, lines } = audit();
  for (let host = 1; host <= 1000; host++)
    record(event({ action: 'blocked', reason: 'ban', client_ip: `2001:db8::${host.toString(16)}` }));
  await close();
  assert.equal(lines().length, daemonBounds.auditFloodFirst + 1);
  assert.equal(lines().at(-1)?.count, 1000 - daemonBounds.auditFloodFirst);
});

test('a summary includes the counts of records that are sums themselves', async () => {
  const { record, close, lines } = audit();
  for (let i = 0; i < 50; i++) record(event({ action: 'blocked', reason: 'ban', count: 20 }));
  await close();
  const counts = lines().map(({ count }) => Number(count));
  assert.equal(counts.length, daemonBounds.auditFloodFirst + 1);
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    1000,
  );
});

test('summarizes only refusals', async () => {
  const { record, close, lines } = audit();
  for (let i = 0; i < 100; i++) record(event({ action: 'auth_failure' }));
  await close();
  assert.equal(lines().length, 100);
});

test('summarizes equal faults after the first ones, and counts too many different faults', async (t) => {
  const { fault, close, lines } = audit({ log_level: 'error' });
  t.mock.method(process.stderr, 'write', () => true);
  const { auditFloodFirst: first, auditFaults: most } = daemonBounds;
  for (let count = 0; count < 1000; count++) fault('accept EMFILE');
  for (let count = 0; count < 1000; count++) fault(`fault ${count}`);
  await close();
  const messages = lines().map(({ message }) => message);
  assert.equal(messages.filter((message) => message === 'accept EMFILE').length, first);
  assert.deepEqual(messages.slice(-2), [
    `accept EMFILE (${1000 - first} more times)`,
    `${1000 - (most - 1)} other faults`,
  ]);
  assert.equal(messages.length, first + most - 1 + 2);
});

test('counts and reports records that were lost before they reached it', async () => {
  const { lost, dropped, problems, close } = audit();
  lost(0);
  assert.deepEqual(problems(), []);
  lost(3);
  assert.equal(dropped(), 3);
  assert.deepEqual(problems(), ['audit: 3 records were dropped since the start']);
  await close();
});
