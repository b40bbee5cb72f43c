import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matching } from './pattern.ts';

test('finds the names of a pattern', async () =>
  assert.deepEqual(await matching(['a.log', 'b', 'c.log.1', 'd.log'], '*.log'), ['a.log', 'd.log']));

test('lets other callbacks run while it compares the names of a large folder', async () => {
  let turns = 0;
  let isFound = false;
  const count = (): void => {
    turns += 1;
    if (!isFound) setImmediate(count);
  };
  setImmediate(count);
  const names = Array.from({ length: 20_000 }, (_, index) => `access-${index}.log`);
  assert.equal((await matching(names, 'access-*.log')).length, names.length);
  isFound = true;
  assert.ok(turns >= 15, `${turns}`);
});
