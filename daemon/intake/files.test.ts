import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnsOf } from '../../platform/testing/turns.ts';
import { matching } from './files.ts';

test('finds the names of a pattern', async () =>
  assert.deepEqual(await matching(['a.log', 'b', 'c.log.1', 'd.log'], '*.log'), ['a.log', 'd.log']));

test('lets other callbacks run while it compares the names of a large folder', async () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `access-${index}.log`);
  const found = matching(names, 'access-*.log');
  const turns = await turnsOf(found);
  assert.equal((await found).length, names.length);
  assert.ok(turns >= 15, `${turns}`);
});
