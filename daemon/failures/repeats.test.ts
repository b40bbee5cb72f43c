import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Repeats } from './repeats.ts';

test('recognizes a password until the window has passed since it counted', () => {
  const repeats = new Repeats();
  const at = (now: number) => repeats.has('a', now - 100, now);
  assert.deepEqual([1000, 1050, 1099, 1100, 1150, 1200].map(at), [false, true, true, false, true, false]);
});

test('counts a password again after an unban, and after the clock was set back', () => {
  const repeats = new Repeats();
  assert.equal(repeats.has('a', 0, 1000), false);
  assert.equal(repeats.has('a', 1000, 1001), false, 'unbanned at 1000');
  assert.equal(repeats.has('a', 400, 500), false, 'counted in the future');
  assert.equal(repeats.has('a', 400, 501), true);
});

test('does not recognize further passwords while it is full, and forgets those before the window', () => {
  const repeats = new Repeats(2);
  for (const password of ['a', 'b', 'c', 'c']) assert.equal(repeats.has(password, 0, 1000), false);
  assert.equal(repeats.has('a', 0, 1000), true);
  assert.equal(repeats.size, 2);
  repeats.forget(1000, 1001);
  assert.equal(repeats.size, 0);
  assert.equal(repeats.has('c', 1000, 1001), false);
  assert.equal(repeats.has('c', 1000, 1002), true);
});
