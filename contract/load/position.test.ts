import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positionsOf } from './position.ts';

test('positions are the same in every order of offsets', () => {
  const text = 'a\u{1f600}b\r\n\u{1f600}\u{1f600}cd\re';
  const offsets = Array.from({ length: text.length + 1 }, (_, offset) => offset);
  const alone = offsets.map((offset) => positionsOf(text)(offset));
  assert.deepEqual(alone.at(4), { line: 1, column: 4 });
  assert.deepEqual(alone.at(10), { line: 2, column: 3 });
  for (const order of [offsets, offsets.toReversed(), [...offsets, ...offsets]]) {
    const at = positionsOf(text);
    for (const offset of order) assert.deepEqual(at(offset), alone[offset], `offset ${offset}`);
  }
});
