import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { renderToString } from 'ink';
import type { RequestEvent } from '../../contract/events/members.ts';
import type { Context } from '../program/context.ts';
import { drawLive } from '../program/live.tsx';
import { plain } from '../program/paint.ts';
import type { Update } from '../sandbox/session/session.ts';
import { advanceState, initialSession, type SessionEvent, type Stage } from '../sandbox/session/state.ts';
import { Frame, SandboxView } from './sandbox.tsx';

const stage = (name: Stage['name'], state: Stage['state'] = 'done'): SessionEvent => ({
  kind: 'stage',
  stage: { name, state, milliseconds: 12, detail: '' },
});
const started = [stage('runtime'), stage('image'), stage('start')];
const ready = (...notes: string[]): SessionEvent => ({
  kind: 'ready',
  target: 'caddy',
  url: 'http://localhost:1',
  notes,
});
const following: readonly SessionEvent[] = [...started, ready(), { kind: 'following', url: 'http://localhost:1' }];

const event: RequestEvent = {
  ...{ type: 'guard_block', timestamp: '2026-01-02T03:04:05.678Z', gateway: 'caddy', mode: 'enforce' },
  ...{ client_ip: '172.17.0.1', method: 'GET', host: 'x', path: '/.env', request_uri: '/.env', target: 'path' },
  ...{ candidate: '/.env', rule_id: 'env-file', pattern: 'x', reason: 'block_pattern_match', action: 'text' },
  ...{ status: 403, user_agent: 'curl', reference: '7K3QF2M9TD' },
};
const blocked = (changes: Partial<RequestEvent> = {}): SessionEvent => ({
  kind: 'security',
  event: { ...event, ...changes },
});
const flood = Array.from({ length: 300 }, (_, index) => blocked({ candidate: `/${index}` }));

function draw(events: readonly SessionEvent[], { columns, rows } = { columns: 90, rows: 24 }): string {
  const view = <Frame state={events.reduce(advanceState, initialSession)} paint={plain} rows={rows} />;
  return stripVTControlCharacters(renderToString(view, { columns }));
}

test('lists the stages, with the last build line below the running one', () => {
  const text = draw([stage('runtime'), stage('image', 'running'), { kind: 'build', line: 'Step 1/6 : FROM' }]);
  assert.match(text, /✔ looking for a container runtime \(12 ms\)\n• preparing the image\n {2}Step 1\/6 : FROM/);
});

test('shows failed and interrupted stages', () => {
  assert.match(draw([stage('runtime'), stage('image', 'failed')]), /\n✖ preparing the image: failed \(12 ms\)/);
  assert.match(draw([stage('runtime', 'interrupted')]), /■ looking for a container runtime: interrupted/);
});

test('shows the probes as a bar with counts', () => {
  const text = draw([
    ...started,
    ready(),
    stage('probes', 'running'),
    { kind: 'probes', progress: { done: 5, total: 10, failed: 2, latest: [] } },
  ]);
  assert.match(text, /█{10}░{10} 5\/10 2 failed/);
  const done = [
    stage('probes', 'running'),
    { kind: 'probes', progress: { done: 5, total: 10, failed: 2, latest: [] } } as const,
  ];
  assert.doesNotMatch(draw([...started, ready(), ...done, stage('probes')]), /█/);
});

test('lists live events below the address and escapes hostile text', () => {
  const text = draw([...following, blocked({ request_uri: '/\u001b[2J', candidate: '/x' })]);
  assert.match(
    text,
    /serving on http:\/\/localhost:1\n03:04:05 BLOCKED env-file {2}403 GET \/\\x1b\[2J \(path: \/x\) {2}from 172.*\n1 event so far; Ctrl-C ends it/,
  );
});

test('keeps the rule visible on a terminal of 40 columns', () => {
  const lines = draw([...following, blocked()], { columns: 40, rows: 20 }).split('\n');
  assert.ok(lines.every((line) => line.length <= 40));
  assert.ok(lines.some((line) => line.startsWith('03:04:05 BLOCKED env-file  403 GET /.e')));
});

test('fills the terminal with events except for one line', () => {
  for (const rows of [20, 24, 40]) {
    const lines = draw([...following, ...flood], { columns: 80, rows }).split('\n');
    assert.equal(lines.length, rows - 1, String(rows));
    assert.match(lines.at(-2) ?? '', /\/299/);
  }
});

test('writes notes above the view, once and unwrapped', async () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 40, rows: 20 });
  let text = '';
  stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const curl = `the API: curl -H 'Authorization: Bearer ${'t'.repeat(32)}' http://localhost:1/stats`;
  async function* run(): AsyncGenerator<Update, undefined, void> {
    let state = initialSession;
    for (const one of [...started, ready(curl), { kind: 'following', url: 'u' } as const, blocked()]) {
      state = advanceState(state, one);
      yield { event: one, state };
      await new Promise((resolve) => setImmediate(resolve));
    }
    return undefined;
  }
  await drawLive(SandboxView, run(), { stdout, stderr: stdout, env: { NO_COLOR: '1' } } as unknown as Context);
  assert.equal(stripVTControlCharacters(text).split(`note: ${curl}\n`).length, 2);
});
