import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestEvent } from '../../../contract/events/members.ts';
import { createReport, type ProbeResult } from '../../probes/report.ts';
import { plain } from '../../program/paint.ts';
import type { SessionEvent } from './state.ts';
import { eventItems, eventLines, resultText } from './text.ts';

const event: RequestEvent = {
  ...{ type: 'guard_block', timestamp: '2026-01-02T03:04:05.678Z', gateway: 'caddy', mode: 'enforce' },
  ...{ client_ip: '172.17.0.1', method: 'GET', host: 'x', path: '/.env', request_uri: '/.env', target: 'path' },
  ...{ candidate: '/.env', rule_id: 'env-file', pattern: 'x', reason: 'block_pattern_match', action: 'text' },
  ...{ status: 403, user_agent: 'curl', reference: '7K3QF2M9TD' },
};

const result: ProbeResult = {
  ...{ id: 'match:env-file', source: 'match', description: 'env-file catches its example', ok: true },
  ...{ request: 'GET /.env', expected: 'blocked', got: 'status 403', problems: [] },
};
const failed: ProbeResult = {
  ...{ ...result, ok: false, problems: ['status 200, expected 403'] },
  ...{ got: 'status 200', sent: 'GET /.env HTTP/1.1\\x0d\\x0a', repeat: 'curl http://x' },
};
const named = { target: 'caddy', url: 'http://localhost:8080', notes: [] };

const lines = (changes: Partial<RequestEvent>) =>
  eventLines({ kind: 'security', event: { ...event, ...changes } }, plain);

test('prints the rule before the request, and the path once', () => {
  assert.deepEqual(lines({}), { stdout: '03:04:05 BLOCKED env-file  403 GET /.env  from 172.17.0.1' });
  assert.deepEqual(lines({ request_uri: '/.env?x=1' }), {
    stdout: '03:04:05 BLOCKED env-file  403 GET /.env?x=1  from 172.17.0.1',
  });
  assert.match(lines({ request_uri: '/%2eenv' }).stdout ?? '', / 403 GET \/%2eenv \(path: \/\.env\) {2}from /);
  assert.match(
    lines({ request_uri: '/x?f=..', target: 'query', candidate: '..' }).stdout ?? '',
    /GET \/x\?f=\.\. \(query: \.\.\) {2}from /,
  );
});

test('prints an event as one line of bounded length and escapes hostile text', () => {
  const { stdout = '', stderr } = lines({ request_uri: `/\u001b[2J${'a'.repeat(500)}`, rule_id: 'x\u202e' });
  assert.equal(stderr, undefined);
  assert.match(
    stdout,
    /^03:04:05 BLOCKED x\\u\{202e\} {2}403 GET \/\\x1b\[2Ja+ \(path: \/\.env\) {2}from 172\.17\.0\.1$/,
  );
  assert.ok(stdout.length < 300);
});

test('prints no status for a detected request', () => {
  const { stdout } = lines({ type: 'guard_detect', rule_id: '' });
  assert.equal(stdout, '03:04:05 DETECTED block_pattern_match  GET /.env  from 172.17.0.1');
});

test('prints stages and notes to standard error, including failed stages', () => {
  const stage = { name: 'image', state: 'done', milliseconds: 1234, detail: 'tag' } as const;
  assert.deepEqual(eventLines({ kind: 'stage', stage }, plain), { stderr: 'preparing the image: tag (1.2 s)' });
  assert.deepEqual(eventLines({ kind: 'stage', stage: { ...stage, state: 'failed' } }, plain), {
    stderr: 'preparing the image: failed (1.2 s)',
  });
  const others: SessionEvent[] = [
    { kind: 'ready', target: 'caddy', url: 'u', notes: ['n'] },
    { kind: 'build', line: 'Step' },
    { kind: 'following', url: 'u' },
    { kind: 'interrupted' },
  ];
  for (const one of others) assert.equal(eventLines(one, plain).stdout, undefined);
});

test('prints one document per event with --json', () => {
  const stopped = { ...named, action: 'stopped', events: 1 } as const;
  const events: SessionEvent[] = [
    { kind: 'build', line: 'Step' },
    { kind: 'ready', ...named },
    { kind: 'following', url: 'u' },
    { kind: 'security', event },
    { kind: 'suppressed', count: 3 },
    { kind: 'stopped', result: stopped },
  ];
  assert.deepEqual(events.flatMap(eventItems), [
    { type: 'sandbox_serving', ...named },
    event,
    { type: 'guard_block_summary', count: 3 },
    { type: 'sandbox_stopped', events: 1 },
  ]);
});

test('uses the singular for one event', () => {
  assert.equal(eventLines({ kind: 'suppressed', count: 1 }, plain).stdout, '1 more event in one second');
  assert.match(resultText({ ...named, action: 'stopped', events: 1 }, plain), /; 1 event reported$/);
  assert.match(resultText({ ...named, action: 'stopped', events: 0 }, plain), /; 0 events reported$/);
});

test('prints a passed probe set as a table with counts by source', () => {
  const skipped = [{ id: 'match:os-drive', source: 'match', reason: 'not inspected' }] as const;
  const text = resultText({ ...named, action: 'tested', report: createReport([result], skipped, 321) }, plain);
  assert.match(text, /^Caddy on http:\/\/localhost:8080: PASSED, 1 probe in 321 ms\n/);
  assert.match(text, /\na match for each rule +1 +0 +1\n/);
  assert.match(text, /\nall +1 +0 +1\n/);
  assert.match(text, /skipped 1: not inspected \(os-drive\)$/);
});

test('prints failures last', () => {
  const text = resultText({ ...named, action: 'tested', report: createReport([result, failed], [], 1) }, plain);
  assert.ok(text.indexOf('FAILED, 2 probes') < text.indexOf('\nall '));
  assert.ok(text.indexOf('\nall ') < text.indexOf('FAILED match:env-file'));
});

test('prints the sent bytes, the outcome, the expectation and a repeat command for a failure', () => {
  const text = resultText({ ...named, action: 'tested', report: createReport([failed], [], 1) }, plain);
  for (const part of ['FAILED match:env-file', 'status 200, expected 403', 'expected  blocked', 'got       status 200'])
    assert.ok(text.includes(part), part);
  assert.ok(text.includes('sent      GET /.env HTTP/1.1\\x0d\\x0a\n  again     curl http://x'));
});

test('prints the first failures and counts the others', () => {
  const report = createReport(Array(25).fill(failed), [], 1);
  const text = resultText({ ...named, action: 'tested', report }, plain);
  assert.equal(text.split('FAILED match:').length - 1, 20);
  assert.match(text, /\.\.\. and 5 more failures; --json shows them all/);
});

test('does not pass a probe set without results', () => {
  assert.equal(createReport([], [], 1).ok, false);
});
