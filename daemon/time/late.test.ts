import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Late } from './late.ts';

const item = (name: string) => ({ name, place: 0 });

test('reports each item that stays, once, and none that is removed', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const reported: string[] = [];
  const late = new Late<ReturnType<typeof item>>(100, ({ name }) => reported.push(name));
  const [one, two, three, four, five] = ['one', 'two', 'three', 'four', 'five'].map(item);
  assert.ok(one && two && three && four && five);
  for (const added of [one, two, three, five]) late.add(added);
  late.delete(one);
  late.delete(five);
  t.mock.timers.tick(100);
  late.add(four);
  late.delete(two);
  late.delete(two);
  assert.deepEqual(reported, []);
  t.mock.timers.tick(100);
  assert.deepEqual(reported, ['three']);
  late.delete(three);
  t.mock.timers.tick(100);
  assert.deepEqual(reported, ['three', 'four']);
  t.mock.timers.tick(1000);
  late.add(one);
  for (let turns = 0; turns < 2; turns += 1) t.mock.timers.tick(100);
  assert.deepEqual(reported, ['three', 'four', 'one']);
});
