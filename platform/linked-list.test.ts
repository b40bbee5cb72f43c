import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkedList } from './linked-list.ts';

test('keeps values in the order of their arrival, and removes each once', () => {
  const list = new LinkedList<string>();
  const entries = ['a', 'b', 'c', 'd'].map((value) => list.add(value));
  const after = entries.map((_, index) => {
    const entry = entries[[1, 3, 0, 2][index] as number];
    assert.ok(entry && list.remove(entry));
    assert.equal(list.remove(entry), false);
    assert.equal(list.size, [...list].length);
    return [...list].join('');
  });
  assert.deepEqual(after, ['acd', 'ac', 'c', '']);
  list.add('e');
  assert.deepEqual([...list], ['e']);
});

test('an entry that was removed refers to nothing', () => {
  const list = new LinkedList<object>();
  const [first, second] = [list.add({}), list.add({})];
  list.remove(first);
  list.remove(second);
  assert.deepEqual([first, second], Array(2).fill({ value: undefined, previous: undefined, next: undefined }));
});
