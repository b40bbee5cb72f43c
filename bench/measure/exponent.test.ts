import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exponentOf } from './exponent.ts';

const sizes = [1, 10, 100];
const costsOf = (cost: (size: number) => number) => [0, ...sizes].map(cost);

test('finds the exponent beside a fixed cost', () => {
  for (const exponent of [0.7, 1, 1.5, 2])
    assert.equal(
      exponentOf(
        costsOf((size) => 0.5 + size ** exponent),
        sizes,
      )?.toFixed(1),
      exponent.toFixed(1),
    );
});

test('has no exponent for a cost that hardly grows', () => {
  assert.equal(exponentOf([100, 101, 103, 119], sizes), undefined);
  assert.equal(exponentOf([100, 140, 140, 139], sizes), undefined);
  assert.equal(exponentOf([100, 70, 60, 95], sizes), undefined);
});

test('noise at the smaller size does not make a linear cost look worse', () => {
  assert.ok((exponentOf([100, 100, 99, 140], sizes) ?? 0) <= 1.1);
});
