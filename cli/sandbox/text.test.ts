import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReport, type ProbeResult } from '../probes/report.ts';
import { plain } from '../program/paint.ts';
import type { GuardEvent } from './output.ts';
import type { News } from './progress.ts';
import { newsLines, resultText } from './text.ts';

const event: GuardEvent = {
  ...{ type: 'guard_block', timestamp: '2026-01-02T03:04:05.678Z', gateway: 'caddy', mode: 'enforce' },
  ...{ client_ip: '172.17.0.1', method: 'GET', host: 'x', path: '/.env', request_uri: '/.env', target: 'path' },
  ...{ candidate: '/.env', rule_id: 'env-file', pattern: 'x', reason: 'block_pattern_match', action: 'text' },
  ...{ status: 403, user_agent: 'curl' },
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

test('an event is one short line of the product, and hostile text in it is harmless', () => {
  const hostile = { ...event, request_uri: `/\u001b[2J${'a'.repeat(500)}`, rule_id: 'x\u202e' };
  const { stdout = '', stderr } = newsLines({ kind: 'event', event: hostile }, plain);
  assert.equal(stderr, undefined);
  assert.match(
    stdout,
    /^03:04:05 BLOCKED 403 GET \/\\x1b\[2Ja+ {2}x\\u\{202e\} \(path: \/\.env\) {2}from 172\.17\.0\.1$/,
  );
  assert.ok(stdout.length < 300);
});

test('a detected request has no status of its own', () => {
  const { stdout } = newsLines({ kind: 'event', event: { ...event, type: 'guard_detect', rule_id: '' } }, plain);
  assert.equal(stdout, '03:04:05 DETECTED GET /.env  block_pattern_match (path: /.env)  from 172.17.0.1');
});

test('stages and notes go to standard error', () => {
  const stage = { name: 'image', state: 'done', milliseconds: 1234, detail: 'tag' } as const;
  assert.deepEqual(newsLines({ kind: 'stage', stage }, plain), { stderr: 'preparing the image: tag (1.2 s)' });
  const others: News[] = [
    { kind: 'note', text: 'n' },
    { kind: 'build', line: 'Step' },
    { kind: 'serving', url: 'u' },
    { kind: 'interrupted' },
  ];
  for (const news of others) assert.equal(newsLines(news, plain).stdout, undefined);
});

test('a passed suite is a table with counts by source', () => {
  const skipped = [{ id: 'match:os-drive', source: 'match', reason: 'not inspected' }] as const;
  const text = resultText({ ...named, action: 'tested', report: createReport([result], skipped, 321) }, plain);
  assert.match(text, /^caddy on http:\/\/localhost:8080: PASSED, 1 probes in 321 ms\n/);
  assert.match(text, /\na match for each rule +1 +0 +1\n/);
  assert.match(text, /\nall +1 +0 +1\n/);
  assert.match(text, /skipped 1: not inspected \(os-drive\)$/);
});

test('a failure shows what was sent, what came, what was expected, and how to send it again', () => {
  const text = resultText({ ...named, action: 'tested', report: createReport([failed], [], 1) }, plain);
  for (const part of ['FAILED match:env-file', 'status 200, expected 403', 'expected  blocked', 'got       status 200'])
    assert.ok(text.includes(part), part);
  assert.ok(text.includes('sent      GET /.env HTTP/1.1\\x0d\\x0a\n  again     curl http://x'));
});

test('of many failures the first are shown and the rest is counted', () => {
  const report = createReport(Array(25).fill(failed), [], 1);
  const text = resultText({ ...named, action: 'tested', report }, plain);
  assert.equal(text.split('FAILED match:').length - 1, 20);
  assert.match(text, /\.\.\. and 5 more failures; --json shows them all/);
});

test('a suite that could prove nothing has not passed', () => {
  assert.equal(createReport([], [], 1).ok, false);
});
