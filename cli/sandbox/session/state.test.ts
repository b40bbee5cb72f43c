import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestEvent } from '../../../contract/events/members.ts';
import { accepts, advanceState, initialSession, type SessionEvent, type SessionState, type Stage } from './state.ts';

const fold = (events: readonly SessionEvent[]): SessionState => events.reduce(advanceState, initialSession);
const stage = (name: Stage['name'], state: Stage['state'] = 'done'): SessionEvent => ({
  kind: 'stage',
  stage: { name, state, milliseconds: 5, detail: 'x' },
});
const ready: SessionEvent = { kind: 'ready', target: 'caddy', url: 'u', notes: ['n'] };
const stopped: SessionEvent = { kind: 'stopped', result: { action: 'dry_run', target: 'caddy', script: '' } };
const security = (index: number): SessionEvent => ({
  kind: 'security',
  event: { candidate: String(index) } as RequestEvent,
});
const serving = [stage('runtime'), stage('image'), stage('start'), ready];

test('moves from phase to phase', () => {
  const phases = [...serving, stage('probes'), stage('remove'), stopped].map(
    (_, index, all) => fold(all.slice(0, index + 1)).phase,
  );
  assert.deepEqual(phases, ['acquire', 'acquire', 'start', 'use', 'use', 'stop', 'stopped']);
});

test('can fail in every phase and then accepts no event', () => {
  for (const events of [[], serving.slice(0, 3), serving, [...serving, stage('remove', 'failed')]]) {
    const state = fold([...events, { kind: 'failed' }]);
    assert.equal(state.phase, 'failed');
    for (const late of [stage('start'), ready, security(1), stopped, { kind: 'interrupted' }] as SessionEvent[])
      assert.throws(() => advanceState(state, late), /a session in phase failed does not accept the event /);
  }
});

test('reaches every phase', () => {
  assert.throws(() => fold([ready]), /in phase acquire does not accept the event ready/);
  assert.throws(() => fold([stage('probes')]), /in phase acquire does not accept the event stage/);
  assert.throws(() => fold([...serving.slice(0, 3), stopped]), /in phase start does not accept the event stopped/);
  assert.throws(() => fold([...serving, stage('image')]), /in phase use does not accept the event stage/);
});

test('distinguishes late events from expected ones', () => {
  const over = fold([...serving, stage('remove'), stopped]);
  assert.equal(accepts(over, security(1)), false);
  assert.equal(accepts(fold(serving), security(1)), true);
  assert.equal(accepts(fold(serving), { kind: 'build', line: 'x' }), false);
});

test('replaces a running stage by its end and clears its build line', () => {
  const events: readonly SessionEvent[] = [stage('image', 'running'), { kind: 'build', line: 'Step 1' }];
  assert.equal(fold(events).buildLine, 'Step 1');
  const { stages, buildLine } = fold([...events, stage('image')]);
  assert.deepEqual([stages.map(({ state }) => state), buildLine], [['done'], undefined]);
});

test('keeps the latest events and counts all of them, including suppressed ones', () => {
  const events = Array.from({ length: 300 }, (_, index) => security(index));
  const state = fold([...serving, ...events, { kind: 'suppressed', count: 70 }]);
  assert.equal(state.eventCount, 370);
  assert.equal(state.events.length, 200);
  assert.deepEqual(state.events.at(-1), { number: 300, event: { candidate: '299' } });
});
