import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyBeginning } from './body.ts';

test('a body in single bytes takes as much memory as its bytes, and none beyond its bound', () => {
  const bytes = 2 * 1024 * 1024;
  const beginning = new BodyBeginning(bytes);
  const piece = Buffer.from('x');
  const before = process.memoryUsage();
  for (let index = 0; index < bytes + 1000; index += 1) beginning.add(piece);
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const kept = heapUsed - before.heapUsed + arrayBuffers - before.arrayBuffers;
  assert.ok(kept < 10 * bytes, `${kept} bytes`);
  assert.ok(beginning.isFull);
  assert.equal(beginning.text(), 'x'.repeat(bytes));
});
