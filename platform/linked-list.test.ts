import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Entry, LinkedList } from './linked-list.ts';

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

test('what was removed does not survive a collection of new objects', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  const list = new LinkedList<object>();
  const entries: Entry<object>[] = [];
  collect({ type: 'minor' });
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  for (let count = 0; count < 30_000; count += 1) {
    entries.push(list.add({ held: new Array(200).fill(count) }));
    const oldest = entries.length > 32 ? entries.shift() : undefined;
    if (oldest) list.remove(oldest);
    if (count % 500 !== 0) continue;
    collect({ type: 'minor' });
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  assert.ok(most < 4 * 1024 * 1024, `${most} bytes of 48,000,000; a Set keeps 39,000,000`);
});
