import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './pace.ts';

test('limits the steps in every window of one second', async () => {
  let clock = 0;
  const taken: number[] = [];
  const wait = async (ms: number): Promise<void> => {
    assert.ok(ms > 0);
    clock += ms;
  };
  const pace = createPace(3, () => clock, wait);
  for (let index = 0; index < 10; index++) {
    await pace.step();
    taken.push(clock);
    clock += 100;
  }
  assert.deepEqual(taken, [0, 100, 200, 1000, 1100, 1200, 2000, 2100, 2200, 3000]);
});
