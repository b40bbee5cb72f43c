import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createStore } from './store.ts';

test('notifies at once, and then at most 30 times a second', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let now = 0;
    const store = createStore(
      (state: number, by: number) => state + by,
      0,
      () => now,
    );
    const seen: number[] = [];
    store.subscribe(() => seen.push(store.state()));
    for (; now < 1000; now += 1) {
      store.dispatch(1);
      mock.timers.tick(1);
    }
    assert.equal(seen[0], 1);
    assert.ok(seen.length <= 31 && seen.length >= 28, String(seen.length));
    now += 40;
    mock.timers.tick(40);
    assert.equal(seen.at(-1), 1000);
  } finally {
    mock.timers.reset();
  }
});

test('does not notify when nothing changed, nor after the last listener was removed', () => {
  const store = createStore((state: number, by: number) => state + by, 0);
  let count = 0;
  const remove = store.subscribe(() => (count += 1));
  store.dispatch(0);
  assert.equal(count, 0);
  remove();
  store.dispatch(1);
  assert.deepEqual([count, store.state()], [0, 1]);
});

test('notifies of a key at once during a flood, without more frames', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let now = 0;
    const store = createStore(
      (state: number, by: number) => state + by,
      0,
      () => now,
    );
    const seen: number[] = [];
    store.subscribe(() => seen.push(now));
    for (; now < 1000; now += 1) {
      store.dispatch(1);
      if (now % 50 === 49) {
        store.flush();
        assert.equal(seen.at(-1), now);
      }
      mock.timers.tick(1);
    }
    assert.ok(seen.length <= 32, String(seen.length));
  } finally {
    mock.timers.reset();
  }
});
