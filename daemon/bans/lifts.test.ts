import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { Lifts } from './lifts.ts';

test('returns the last lift of any ban that covered the address', () => {
  const lifts = new Lifts();
  lifts.add('192.0.2.0/24', 5);
  lifts.add('192.0.2.7', 3);
  assert.deepEqual(
    ['192.0.2.7', '192.0.2.8', '192.0.3.1', 'x'].map((ip) => lifts.lastLiftOf(ip, 9)),
    [5, 5, undefined, undefined],
  );
});

test('ignores a lift in the future, after the clock was set back', () => {
  const lifts = new Lifts();
  lifts.add('192.0.2.0/24', 3);
  lifts.add('192.0.2.7', 5);
  assert.deepEqual(
    [2, 4, 5].map((now) => lifts.lastLiftOf('192.0.2.7', now)),
    [undefined, 3, 5],
  );
});

test('remembers a bounded number, the latest ones', () => {
  const lifts = new Lifts();
  const ip = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  for (let index = 0; index <= daemonBounds.lifts; index++) lifts.add(ip(index), index);
  assert.deepEqual(
    [0, 1, daemonBounds.lifts].map((index) => lifts.lastLiftOf(ip(index), daemonBounds.lifts)),
    [undefined, 1, daemonBounds.lifts],
  );
});
