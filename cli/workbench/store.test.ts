import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStore, type Store } from './store.ts';

/** Creates a store whose state is the sum of all actions. The test controls its clock. */
function sums(clock = { now: 0 }): Store<number, number> {
  return createStore(
    (state: number, by: number) => state + by,
    0,
    () => clock.now,
  );
}

test('notifies at once, and then at most 30 times a second', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { now: 0 };
  const store = sums(clock);
  const seen: number[] = [];
  store.subscribe(() => seen.push(store.state()));
  for (; clock.now < 1000; clock.now += 1) {
    store.dispatch(1);
    t.mock.timers.tick(1);
  }
  assert.equal(seen[0], 1);
  assert.ok(seen.length <= 31 && seen.length >= 28, String(seen.length));
  clock.now += 40;
  t.mock.timers.tick(40);
  assert.equal(seen.at(-1), 1000);
});

test('does not notify when nothing changed, nor after the last listener was removed', () => {
  const store = sums();
  let count = 0;
  const remove = store.subscribe(() => (count += 1));
  store.dispatch(0);
  assert.equal(count, 0);
  remove();
  store.dispatch(1);
  assert.deepEqual([count, store.state()], [0, 1]);
});

test('notifies of a key at once during a flood, without more frames', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { now: 0 };
  const store = sums(clock);
  const seen: number[] = [];
  store.subscribe(() => seen.push(clock.now));
  for (; clock.now < 1000; clock.now += 1) {
    store.dispatch(1);
    if (clock.now % 50 === 49) {
      store.flush();
      assert.equal(seen.at(-1), clock.now);
    }
    t.mock.timers.tick(1);
  }
  assert.ok(seen.length <= 32, String(seen.length));
});
