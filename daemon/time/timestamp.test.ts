import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestampOf } from './timestamp.ts';

const asSystem = (now: number): string => new Date(now).toISOString();

test('formats times as Date does, in any order', () => {
  const start = Date.UTC(2026, 10, 22, 23, 59, 59, 0);
  const times = [0, 1, 9, 10, 99, 100, 999, 1000, 1001, 999, 86_400_000, 0].map((past) => start + past);
  for (const now of [...times, 0, -1, -1000, -1001, 253_402_300_800_000, start + 0.5])
    assert.equal(timestampOf(now), asSystem(now));
});

test('throws for an invalid time, and formats the next one', () => {
  const now = Date.UTC(2026, 0, 1, 0, 0, 0, 7);
  assert.throws(() => timestampOf(Number.NaN), RangeError);
  assert.throws(() => timestampOf(Number.POSITIVE_INFINITY), RangeError);
  assert.equal(timestampOf(now), '2026-01-01T00:00:00.007Z');
});
