import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Distinct, hashOf } from './distinct.ts';

function counted(different: number): Distinct {
  const distinct = new Distinct(2048);
  for (const _ of [1, 2])
    for (let one = 0; one < different; one += 1) distinct.add(hashOf(`198.51.${one >> 8}.${one & 255}`));
  return distinct;
}

describe('the number of different texts', () => {
  for (const different of [0, 1, 2048]) {
    it(`is exact for ${different}`, () => {
      const { isExact, count } = counted(different);
      assert.deepEqual({ isExact, count }, { isExact: true, count: different });
    });
  }
  for (const different of [10_000, 200_000]) {
    it(`is estimated for ${different}`, () => {
      const { isExact, count } = counted(different);
      assert.equal(isExact, false);
      assert.ok(Math.abs(count / different - 1) < 0.1, `${count}`);
    });
  }
});
