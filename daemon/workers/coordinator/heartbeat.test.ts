import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { createPauseDetector, Pulse } from './heartbeat.ts';

const { every, late, hung } = daemonBounds.workerHeartbeatMs;

test('reports a heartbeat as late before it reports the worker as hung', () => {
  const pulse = new Pulse(0);
  pulse.beat(100);
  const states = [every, late, hung - 1, hung].map((ms) => pulse.silence(100 + ms));
  assert.deepEqual(
    states.map(({ isLate, isHung }) => [isLate, isHung]),
    [
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ],
  );
  pulse.beat(100 + hung);
  assert.equal(pulse.silence(100 + hung).isLate, false);
});

test('a worker has more time until its first heartbeat, also after the coordinator was stopped', () => {
  const pulse = new Pulse(0);
  assert.equal(pulse.silence(daemonBounds.workerStartMs - 1).isHung, false);
  assert.equal(pulse.silence(daemonBounds.workerStartMs).isHung, true);
  pulse.restart(60_000);
  assert.equal(pulse.silence(60_000 + hung).isHung, false);
});

test('counts silence from the moment the coordinator runs again', () => {
  assert.equal(createPauseDetector(0)(60_000), true, 'also before its first check');
  const wasPaused = createPauseDetector(0);
  const pulse = new Pulse(0);
  pulse.beat(0);
  assert.equal(wasPaused(every + every / 2), false);
  assert.equal(wasPaused(60_000), true);
  pulse.restart(60_000);
  assert.equal(pulse.silence(60_000 + every).isLate, false);
  assert.equal(wasPaused(60_000 + every), false);
  assert.equal(pulse.silence(60_000 + hung).isHung, true);
});
