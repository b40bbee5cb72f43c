import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timesOf } from './steal.ts';

const stat = `cpu  30 0 30 30 0 0 0 30 5 0
cpu0 10 0 10 10 0 0 0 10 5 0
cpu1 20 0 20 20 0 0 0 20 0 0
intr 1 2 3
`;

test('sums stolen time of the named processors, without guest time', () => {
  assert.deepEqual(timesOf(stat, ['0']), { stolen: 10, all: 40 });
  assert.deepEqual(timesOf(stat, []), { stolen: 30, all: 120 });
});
