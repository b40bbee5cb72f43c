import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { isCrash, WorkerPlanes } from './worker-planes.ts';

test('a second crash within an hour ends the use of the Linux plane, and a later one does not', () => {
  const planes = new WorkerPlanes({ name: 'linux', reason: 'configured' }, 4);
  assert.equal(planes.recordCrash('worker 1', 'SIGSEGV', 0).isSecond, false);
  assert.deepEqual([planes.planeOf('worker 1'), planes.planeOf('worker 2')], ['net', 'linux']);
  assert.equal(planes.recordCrash('worker 2', 'SIGBUS', daemonBounds.planeCrashMs).isSecond, false);
  assert.deepEqual([planes.planeOf('worker 2'), planes.planeOf('worker 3')], ['net', 'linux']);
  assert.equal(planes.status().name, 'linux');
  assert.equal(planes.recordCrash('worker 3', 'SIGABRT', 2 * daemonBounds.planeCrashMs - 1).isSecond, true);
  assert.equal(planes.planeOf('worker 4'), 'net');
  assert.equal(planes.status().name, 'net');
  assert.equal(planes.problems().length, 3);
});

test('a crash of the only worker ends the use of the Linux plane', () => {
  const planes = new WorkerPlanes({ name: 'linux', reason: 'configured' }, 1);
  assert.equal(planes.recordCrash('worker 1', 'SIGSEGV', 0).isSecond, false);
  assert.equal(planes.status().name, 'net');
});

test('an end that was ordered is not a crash', () => {
  assert.deepEqual(['SIGSEGV', 'SIGABRT', 'SIGKILL', 'SIGTERM', 'status 1', 'no heartbeat for 5 s'].map(isCrash), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
