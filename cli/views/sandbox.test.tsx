import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { renderToString } from 'ink';
import { createReport } from '../probes/report.ts';
import { plain } from '../program/paint.ts';
import type { GuardEvent } from '../sandbox/output.ts';
import { advance, type News, type SandboxProgress } from '../sandbox/progress.ts';
import type { SandboxResult } from '../sandbox/session.ts';
import { SandboxView } from './sandbox.tsx';

function draw(news: readonly News[], result?: SandboxResult): string {
  const progress = news.reduce<SandboxProgress | undefined>(advance, undefined);
  const view = <SandboxView progress={progress} result={result} paint={plain} />;
  return stripVTControlCharacters(renderToString(view, { columns: 90 }));
}

const stage = (name: 'image' | 'start', state: 'running' | 'done'): News => ({
  kind: 'stage',
  stage: { name, state, milliseconds: 12, detail: '' },
});
const event = { type: 'guard_block', timestamp: '2026-01-02T03:04:05.6Z', method: 'GET', request_uri: '/\u001b[2J' };

test('stages are listed, the last build line under the running one', () => {
  const text = draw([stage('start', 'done'), stage('image', 'running'), { kind: 'build', line: 'Step 1/6 : FROM' }]);
  assert.match(text, /✔ starting the sandbox \(12 ms\)\n• preparing the image\n {2}Step 1\/6 : FROM/);
});

test('probes are a bar with counts', () => {
  const text = draw([{ kind: 'suite', suite: { done: 5, total: 10, failed: 2 } }]);
  assert.match(text, /█{15}░{15} 5\/10 2 failed/);
});

test('live events follow the address, and hostile text in them is harmless', () => {
  const full = { ...event, target: 'path', candidate: '/x', rule_id: 'r', reason: '', client_ip: '::1', status: 403 };
  const text = draw([
    { kind: 'serving', url: 'http://localhost:1' },
    { kind: 'event', event: full as GuardEvent },
  ]);
  assert.match(text, /serving on http:\/\/localhost:1/);
  assert.match(text, /03:04:05 BLOCKED 403 GET \/\\x1b\[2J {2}r \(path: \/x\) {2}from ::1\n1 so far/);
});

test('the result stays below the stages', () => {
  const report = createReport([], [], 5);
  const result = { action: 'tested', target: 'caddy', url: 'http://localhost:1', notes: [], report } as const;
  assert.match(
    draw([stage('start', 'done')], result),
    /✔ starting[\s\S]*caddy on http:\/\/localhost:1: FAILED, 0 probes/,
  );
});
