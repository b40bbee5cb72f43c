import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byLength, measureBriefly } from './length.ts';

test('measures at full length, until a run of all benchmarks asks for less', () => {
  assert.equal(byLength(11, 3), 11);
  measureBriefly();
  assert.equal(byLength(11, 3), 3);
});
