import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { Lifts } from './lifts.ts';

test('returns the last lift of any ban that covered the address', () => {
  const lifts = new Lifts();
  lifts.add('192.0.2.0/24', 5);
  lifts.add('192.0.2.7', 3);
  assert.deepEqual(
    ['192.0.2.7', '192.0.2.8', '192.0.3.1', 'x'].map((ip) => lifts.of(ip)),
    [5, 5, undefined, undefined],
  );
});

test('remembers a bounded number, the latest ones', () => {
  const lifts = new Lifts();
  const ip = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  for (let index = 0; index <= daemonBounds.lifts; index++) lifts.add(ip(index), index);
  assert.deepEqual(
    [lifts.of(ip(0)), lifts.of(ip(1)), lifts.of(ip(daemonBounds.lifts))],
    [undefined, 1, daemonBounds.lifts],
  );
});
