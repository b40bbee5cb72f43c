import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sharedTimer, type Waiter } from './shared-timer.ts';

/** Mocks timers and `performance.now()`. The test moves them. */
function clock(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  return (ms: number) => {
    for (let step = 0; step < ms; step += 1) {
      now += 1;
      t.mock.timers.tick(1);
    }
  };
}

function waiter(over: string[], name: string): Waiter {
  return { since: performance.now(), onElapsed: () => void over.push(name) };
}

test('calls each waiter once, when its own time is over', (t) => {
  const advance = clock(t);
  const over: string[] = [];
  const timer = sharedTimer(40);
  timer.add(waiter(over, 'first'));
  advance(30);
  sharedTimer(40).add(waiter(over, 'second'));
  advance(9);
  assert.deepEqual(over, []);
  advance(1);
  assert.deepEqual(over, ['first']);
  advance(29);
  assert.deepEqual(over, ['first']);
  advance(1);
  assert.deepEqual(over, ['first', 'second']);
  advance(100);
  assert.deepEqual(over, ['first', 'second']);
});

test('does not call a waiter that was removed, also by another one at the same time', (t) => {
  const advance = clock(t);
  const over: string[] = [];
  const timer = sharedTimer(50);
  timer.remove(timer.add(waiter(over, 'removed')));
  timer.add({ since: performance.now(), onElapsed: () => timer.remove(last) });
  const last = timer.add(waiter(over, 'removed by the one before'));
  advance(100);
  assert.deepEqual(over, []);
  sharedTimer(50).add(waiter(over, 'later'));
  advance(50);
  assert.deepEqual(over, ['later']);
});
